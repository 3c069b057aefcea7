import type { Clock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import { ownerOfPort } from '../../base/portOwner.ts';
import { createUndiciTransport } from '../../client/core/undiciTransport.ts';
import type { FoundAnswer } from '../../contract/foundServers.ts';
import type { UpstreamHandover } from '../../contract/upstreams.ts';
import { ollamaServer } from '../../contract/usualServers.ts';
import { registerDecisionRoutes } from '../decisions/decisionRoutes.ts';
import { registerImageRoutes } from '../images/imageRoutes.ts';
import { ImageShelf } from '../images/imageShelf.ts';
import { registerMessagesRoutes } from '../messages/messagesRoutes.ts';
import { openReasoningSeal, type ReasoningSeal } from '../responses/reasoningSeal.ts';
import { registerResponsesRoutes } from '../responses/responsesRoutes.ts';
import type { App } from '../server.ts';
import { AliasFile } from './aliasFile.ts';
import { registerChatRoutes } from './chatRoutes.ts';
import { demoProvider } from './demo/demoProvider.ts';
import { type ChatGateway, createGateway } from './gateway.ts';
import { registerModelRoutes } from './modelRoutes.ts';
import { ServerAnswers } from './upstreams/serverAnswers.ts';
import { UpstreamDirectory } from './upstreams/upstreamDirectory.ts';

export interface InferenceOptions {
	app: App;
	stateFolder: string;
	/** Returns `http://127.0.0.1:<port>`. It is known once the service listens. */
	address(): string;
	handover: UpstreamHandover;
	clock: Clock;
	logger(topic: string): Logger;
}

export interface Inference {
	gateway: ChatGateway;
	/** The seal of the reasoning that clients of the responses endpoint keep. */
	seal: ReasoningSeal;
	/** Replaces the list of upstreams. */
	replaceUpstreams(handover: UpstreamHandover): void;
	/** Stores the user's answer about a server that was found. Resolves with false if there is no such server. */
	answerFoundServer(answer: FoundAnswer): Promise<boolean>;
	close(): Promise<void>;
}

/** Creates the gateway with its providers, and registers its routes on both host forms. */
export function startInference({ app, stateFolder, address, handover, clock, logger }: InferenceOptions): Inference {
	const shelf = new ImageShelf();
	const transport = createUndiciTransport();
	const upstreamsLogger = logger('upstreams');
	const directory = new UpstreamDirectory(
		[demoProvider({ clock, publish: image => address() + shelf.put(image) })],
		{ transport, logger: upstreamsLogger, clock },
		{
			known: [ollamaServer(process.env)],
			answers: new ServerAnswers(stateFolder, upstreamsLogger),
			ownerOf: ownerOfPort,
		},
	);
	const aliasFile = new AliasFile(stateFolder, logger('aliases'));
	const gateway = createGateway({
		directory,
		aliases: () => aliasFile.read(),
		logger: logger('gateway'),
		clock,
		random: Math.random,
	});
	directory.replace(handover);
	registerChatRoutes(app, { gateway, logger: logger('chat') });
	registerMessagesRoutes(app, { gateway, logger: logger('messages') });
	registerModelRoutes(app, gateway);
	registerImageRoutes(app, shelf);
	const responsesLogger = logger('responses');
	const seal = openReasoningSeal(stateFolder, () =>
		responsesLogger.log('warn', 'the key of sealed reasoning was unusable and has been replaced'),
	);
	registerResponsesRoutes(app, { gateway, seal, logger: responsesLogger });
	registerDecisionRoutes(app, gateway);
	return {
		gateway,
		seal,
		replaceUpstreams: next => directory.replace(next),
		answerFoundServer: answer => directory.answer(answer),
		close() {
			directory.dispose();
			return transport.close();
		},
	};
}
