import type { FoundAgent } from '../../agents/catalogue/entry.ts';
import { createClientModels } from '../../agents/relay/clientModels.ts';
import { allowsOnly, withoutModel } from '../../agents/relay/relay.ts';
import type { RelayAnswers } from '../../agents/run/runPlace.ts';
import { systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { Logger } from '../../base/logger.ts';
import type { Usage } from '../../contract/chatReply.ts';
import type { AgentTurn } from '../conversation/replyRequest.ts';
import type { AgentModels } from './agentRunsOptions.ts';
import type { EventQueue } from './eventQueue.ts';
import type { TurnWeb } from './turnWeb.ts';

/** The models that the agent of one turn asks, and what they have used. */
export class TurnModels {
	/** The error of the last failed request to the model, which the agent reports only in its own words. */
	failure: unknown;
	private readonly models: AgentModels;
	private readonly started: { turn: AgentTurn; queue: EventQueue };
	private readonly counted = { prompt: 0, cached: 0, completion: 0, reasoning: 0, isWhole: true };

	constructor(models: AgentModels, started: { turn: AgentTurn; queue: EventQueue }) {
		this.models = models;
		this.started = started;
	}

	/** The usage of all requests, unless a part of it is unknown or nothing was used. */
	get usage(): Usage | undefined {
		const { prompt, cached, completion, reasoning, isWhole } = this.counted;
		return isWhole && prompt + completion > 0
			? ({
					prompt_tokens: prompt,
					completion_tokens: completion,
					prompt_tokens_details: { cached_tokens: cached },
					completion_tokens_details: { reasoning_tokens: reasoning },
				} as Usage)
			: undefined;
	}

	/** Returns the answers of the relay of an agent. One with an account of its own asks no model of Errand's. */
	answersFor({ definition: { account } }: FoundAgent, web: TurnWeb, logger: Logger): RelayAnswers {
		return {
			allowsHost: allowsOnly(account?.hosts ?? []),
			web: account ? undefined : web,
			onRefused: reason => logger.log('info', 'something that an agent asked of the relay was refused', { reason }),
			handle: account ? withoutModel('This agent works with an account of its own.') : this.answers(logger),
		};
	}

	private answers(logger: Logger): RelayAnswers['handle'] {
		const { models } = this;
		const { turn, queue } = this.started;
		return createClientModels({
			client: models.client,
			model: turn.model,
			provider: turn.provider,
			...models.connection.limitsOf(turn.model),
			onCall: ({ model, provider, id, usage, outcome }) => {
				if (outcome === 'whole') {
					this.failure = undefined;
				}
				queue.push({ type: 'served', model, ...defined({ provider: provider || undefined, id: id || undefined }) });
				this.count(usage);
			},
			onFailure: error => {
				this.failure = error;
			},
			logger,
			clock: systemClock,
		});
	}

	private count(usage: Usage | undefined): void {
		this.counted.isWhole &&= usage !== undefined;
		this.counted.prompt += usage?.prompt_tokens ?? 0;
		this.counted.completion += usage?.completion_tokens ?? 0;
		this.counted.cached += usage?.prompt_tokens_details?.cached_tokens ?? 0;
		this.counted.reasoning += usage?.completion_tokens_details?.reasoning_tokens ?? 0;
	}
}
