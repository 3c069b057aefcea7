import { defined } from '../../base/defined.ts';
import { estimateTokens, imageTokens } from '../../base/tokens.ts';
import type { TokenProbability } from '../../client/types.ts';
import { OWN_ACCOUNT } from '../../contract/localConnection.ts';
import { requestBudget } from '../../contract/modelLimits.ts';
import { commands } from '../../platform/ids.ts';
import type { Attachment } from '../model/attachment.ts';
import { citationsOf } from '../model/citations.ts';
import {
	type Conversation,
	currentReply,
	isUnfinished,
	type Reply,
	shownReply,
	type Turn,
	versionsOf,
} from '../model/conversation.ts';
import type { ReplyUsage } from '../model/cost.ts';
import { attachedTokens, type Measure } from '../model/measure.ts';
import { nameOf } from '../model/presets.ts';
import { costOf, servedModel, totalOf } from '../model/replyFacts.ts';
import { retentionInForce, settingsInForce, type UserSettings } from '../model/settings.ts';
import type { AttachmentView, ReplyImageView, ReplyView, TurnView } from './protocol.ts';
import type { DetailsView, FieldView, SettingsView, TokenView, UseView } from './settingsProtocol.ts';
import { toWorkView } from './toWorkView.ts';

/** The state of a running reply that is not part of the conversation. */
export interface LiveState {
	readonly turnId: string;
	/** Says whether the service has been silent for a while, and why if the reason is known. */
	readonly waiting: ReplyView['waiting'];
}

/** The limits of turns and of characters in one message to the page, so that neither side blocks for long. */
const SLICE_TURNS = 40;
const SLICE_LENGTH = 400_000;

/** Returns as many turns before index `end` as one message may hold. `path` has all turns that are shown. */
export function sliceBefore(path: readonly Turn[], end: number): Turn[] {
	let start = end;
	for (let length = 0; start > 0 && end - start < SLICE_TURNS; start--) {
		const turn = path[start - 1] as Turn;
		length += turn.question.length + shownReply(turn).text.length + (currentReply(turn).reasoning?.length ?? 0);
		if (length > SLICE_LENGTH && start < end) {
			break;
		}
	}
	return path.slice(start, end);
}

export function toTurnView(conversation: Conversation, turn: Turn, live: LiveState | undefined): TurnView {
	const waiting = live?.turnId === turn.id && live.waiting;
	const goesOn = !conversation.encryption?.hasEnded;
	const isLast = live === undefined && conversation.head === turn.id && goesOn;
	const version = toVersionView(conversation, turn);
	return {
		id: turn.id,
		askedAt: turn.askedAt,
		question: turn.question,
		...defined({ mode: turn.mode, attachments: turn.attachments?.map(toAttachmentView) }),
		reply: toReplyView(turn, waiting, isLast),
		...defined({ version }),
	};
}

export function toAttachmentView(attachment: Attachment): AttachmentView {
	const { kind, label, text, omitted, path, image } = attachment;
	return {
		kind,
		label,
		length: text.length,
		tokens: image ? imageTokens(image) : estimateTokens(text),
		...defined({
			path,
			image: image && { file: image.file, width: image.width, height: image.height, bytes: image.bytes },
			omitted,
		}),
	};
}

function toVersionView(conversation: Conversation, turn: Turn): TurnView['version'] {
	const versions = versionsOf(conversation, turn);
	if (versions.length < 2) {
		return undefined;
	}
	const position = versions.findIndex(({ id }) => id === turn.id);
	const previous = versions[position - 1]?.id;
	const next = versions[position + 1]?.id;
	return {
		index: position + 1,
		count: versions.length,
		...defined({ previous, next }),
	};
}

function toReplyView(turn: Turn, waiting: ReplyView['waiting'], isLast: boolean): ReplyView {
	const [current, shown] = [currentReply(turn), shownReply(turn)];
	const isImage = turn.mode === 'image';
	const image = isImage ? toReplyImageView(shown) : undefined;
	const { sources = [] } = shown;
	const { model = current.model } = servedModel(shown);
	const { provider } = shown;
	const { reasoning, explanation } = current;
	const duration = durationOf(shown);
	const usage = usageOf(shown);
	const cost = costOf(shown);
	const details = toDetailsView(shown, turn.instructions);
	return {
		state: current.state,
		// The text of an image model's reply is an address, which is not meant to be read.
		text: isImage ? '' : shown.text,
		earlier: shown !== current,
		waiting,
		canRetry: isLast,
		canContinue: isLast && !isImage && isUnfinished(current),
		continued: shown.continuations?.length ?? 0,
		...defined({
			reasoning,
			model,
			provider,
			duration,
			usage,
			cost,
			details,
			explanation: explanation && toExplanationView(explanation),
			citations: sources.length === 0 || shown.state === 'streaming' ? undefined : citationsOf(shown.text, sources),
			image,
			work: shown.work && toWorkView(shown.work, shown.state !== 'streaming'),
		}),
	};
}

/** An image can be loaded again if the reason for its absence may be gone, or if its reply was stopped before that. */
function toReplyImageView({ state, text, image }: Reply): ReplyImageView | undefined {
	if (image && 'file' in image) {
		const { file, width, height } = image;
		return { file, width, height };
	}
	if (text === '' || state === 'streaming') {
		return undefined;
	}
	const problem = image?.problem ?? 'not-loaded';
	return { problem, canReload: problem === 'not-loaded' || problem === 'unreachable' || problem === 'not-kept' };
}

/**
 * Returns the duration of all parts of a reply in milliseconds, without the time between them, or undefined if that of
 * a part is not known.
 */
export function durationOf({ startedAt, endedAt, continuations = [] }: Reply): number | undefined {
	const starts = [startedAt, ...continuations.map(({ resumedAt }) => resumedAt)];
	const ends = [...continuations.map(({ pausedAt }) => pausedAt), endedAt];
	let duration = 0;
	for (const [index, start] of starts.entries()) {
		const end = ends[index];
		if (end === undefined) {
			return undefined;
		}
		duration += end - start;
	}
	return duration;
}

/** Returns the tokens of all parts of a reply, or undefined if those of a part are not known. */
export function usageOf({ usage, continuations = [] }: Reply): ReplyUsage | undefined {
	const parts = [...continuations.map(part => part.usage), usage];
	const sum = (count: (part: ReplyUsage) => number | undefined): number | undefined =>
		parts.reduce<number | undefined>((total, part) => {
			const value = part && count(part);
			return total === undefined || value === undefined ? undefined : total + value;
		}, 0);
	if (parts.length === 1 || usage === undefined) {
		return usage;
	}
	const [prompt, cached, completion] = [sum(p => p.prompt), sum(p => p.cached), sum(p => p.completion)];
	const reasoning = sum(p => p.reasoning);
	return defined({ prompt, cached, completion, reasoning });
}

function toExplanationView({
	message,
	action,
}: NonNullable<Reply['explanation']>): NonNullable<ReplyView['explanation']> {
	// Opening the log solves nothing, so then the primary button is Retry.
	return action
		? { message, action: { label: action.label, primary: action.command !== commands.showLog } }
		: { message };
}

/**
 * Returns the settings of the next message. `model` is that of the user's settings, for a conversation without one of
 * its own. `defaults` are undefined if a setting cannot be read, so that nothing is sent.
 */
export function toSettingsView(
	conversation: Conversation,
	defaults: UserSettings | undefined,
	model: string | undefined,
): SettingsView {
	const { settings } = conversation;
	const used = settings?.model ?? model;
	const named = used === undefined ? {} : { model: used };
	if (defaults === undefined) {
		const routing = { preset: 'unreadable', isPrivate: false, isLimited: false } as const;
		return { ...named, routing, retention: 'account' };
	}
	const retention = retentionInForce(defaults, settings);
	return {
		...named,
		routing: nameOf(settingsInForce(defaults, settings).routing),
		retention: retention === 'account' ? 'account' : retention ? 'on' : 'off',
	};
}

/** Returns the use of the model's context by the next message of a conversation, with its attachments. */
export function toUseView(conversation: Conversation, attachments: readonly Attachment[], measure: Measure): UseView {
	const { model, instructions, history, agent, contextLength } = measure;
	const use = { model, instructions, history, attached: attachedTokens(attachments), total: totalOf(conversation) };
	if (agent) {
		const { used, size } = agent;
		return { ...use, agent: defined({ used }), ...defined({ limit: size || undefined }) };
	}
	const limit = requestBudget(measure);
	return limit === undefined || contextLength === undefined ? use : { ...use, limit, reply: contextLength - limit };
}

/**
 * Returns undefined if nothing is known about a reply beyond what it shows. `instructions` are the files that were sent
 * with its message.
 */
export function toDetailsView(reply: Reply, instructions: readonly Attachment[] = []): DetailsView | undefined {
	const { serviceId, leftOut, created, fingerprint, nativeReason, work } = reply;
	const { startedAt, firstAt, logprobs = [], state } = reply;
	const { digest, model } = servedModel(reply);
	// Nothing that was chosen for the conversation's model holds for an agent with an account of its own.
	const { asked, retention } = model === OWN_ACCOUNT ? {} : reply;
	const details: DetailsView = {
		...(asked === undefined
			? {}
			: { asked: [asked.model, ...(asked.models ?? [])], routing: nameOf(asked.provider ?? {}) }),
		...defined({
			routingFields: asked?.provider && fieldsOf(asked.provider),
			instructions: instructions.length === 0 ? undefined : instructions.map(({ label }) => label),
			parameters: asked?.parameters && fieldsOf(asked.parameters),
			digest,
			retention,
			serviceId,
			leftOut,
			created,
			fingerprint,
			nativeReason,
			agentCost: work?.context?.cost,
			unknown: work?.unknown?.map(({ kind, text }): FieldView => [kind, text]),
			firstWord: firstAt === undefined ? undefined : Math.max(0, firstAt - startedAt),
		}),
		// While a reply streams, its probabilities would be sent again with each token.
		...defined({ tokens: logprobs.length === 0 || state === 'streaming' ? undefined : logprobs.map(toTokenView) }),
	};
	return Object.keys(details).length === 0 ? undefined : details;
}

function toTokenView({ token, logprob, top }: TokenProbability): TokenView {
	return { token, probability: Math.exp(logprob), top: top.map(other => [other.token, Math.exp(other.logprob)]) };
}

function fieldsOf(fields: object): FieldView[] {
	return Object.entries(fields)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}
