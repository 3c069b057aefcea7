// The schemas of what a conversation consists of, as a file has it. Times are in milliseconds since the epoch.
import * as z from 'zod';
import { chatParametersSchema } from '../../contract/chatRequest.ts';
import { reasoningItemSchema } from '../../contract/responses.ts';
import { routingPolicySchema } from '../../contract/routingPolicy.ts';
import { commitSchema } from '../../contract/taskSteps.ts';
import { type CommandId, commands } from '../../platform/ids.ts';
import type { Explanation } from '../../platform/notify.ts';
import { agentWorkSchema, time } from './agentWorkSchema.ts';
import { ATTACHMENT_KINDS } from './attachment.ts';
import { attachedImageSchema } from './contextSource.ts';
import { IMAGE_PROBLEMS } from './images.ts';

const commandIds: ReadonlySet<string> = new Set(Object.values(commands));

/** The workspace of a conversation, by which it is found again. Folders are URIs. */
export const workspaceSchema = z.object({
	name: z.string().exactOptional(),
	folders: z.array(z.string()),
	/** The fetch URL of `origin`, without credentials. */
	remote: z.string().exactOptional(),
});

/** Only the modes that this version knows. */
export const modeSchema = z.enum(['search', 'image', 'agent']).exactOptional();

/** A command that only a later version knows is left out, instead of refusing the file. */
const explanationSchema = z
	.object({
		message: z.string(),
		action: z.object({ label: z.string(), command: z.string(), argument: z.string().exactOptional() }).exactOptional(),
	})
	.transform(
		({ message, action }): Explanation =>
			action && commandIds.has(action.command)
				? { message, action: { ...action, command: action.command as CommandId } }
				: { message },
	);

/** Numbers of tokens, as the service counted them. */
const usageSchema = z.object({
	prompt: z.number().exactOptional(),
	cached: z.number().exactOptional(),
	completion: z.number().exactOptional(),
	/** The part of the completion's tokens that were spent on reasoning. */
	reasoning: z.number().exactOptional(),
});

/** A cost in US dollars. With `atLeast`, a part of the charge is not known. */
const costSchema = z.object({ usd: z.number(), atLeast: z.literal(true).exactOptional() });

const askedSchema = z.object({
	model: z.string(),
	models: z.array(z.string()).exactOptional(),
	// Fields that only a later version knows are no reason to refuse the file.
	provider: routingPolicySchema.catch({}).exactOptional(),
	parameters: chatParametersSchema.catch({}).exactOptional(),
});

const retentionSchema = z.object({
	inForce: z.enum(['yes', 'no', 'as-account-is-set']),
	because: z.enum(['request', 'alias', 'account', 'code-oriented-model']),
});

const imageSchema = z.union([attachedImageSchema.omit({ bytes: true }), z.object({ problem: z.enum(IMAGE_PROBLEMS) })]);

const tokenSchema = z.object({ token: z.string(), logprob: z.number() });

/** `cutOff`: the stream or the window ended before the reply did. */
const stateSchema = z.enum(['streaming', 'done', 'stopped', 'cutOff', 'failed']);

export const replySchema = z.object({
	state: stateSchema,
	startedAt: time,
	/** The time of the first text or reasoning. */
	firstAt: time.exactOptional(),
	endedAt: time.exactOptional(),
	text: z.string(),
	reasoning: z.string().exactOptional(),
	/** The model's reasoning, as the responses endpoint sent it. It goes back to the model with the next message. */
	reasoningItems: z.array(reasoningItemSchema).exactOptional(),
	/** The model that answered or, as long as nothing has come back, the model that was asked. */
	model: z.string().exactOptional(),
	/** The provider that served the reply, as the service named it. */
	provider: z.string().exactOptional(),
	/** The completion's id, as the service gave it. */
	serviceId: z.string().exactOptional(),
	/** The parameters of the request that the model does not support, according to the service. */
	leftOut: z.array(z.string()).exactOptional(),
	/** The time at which the service created the reply, by its own clock, in Unix seconds. */
	created: z.number().exactOptional(),
	/** The service's name for the state of the model's server. */
	fingerprint: z.string().exactOptional(),
	/** The reason why the reply ended, in the provider's own word. */
	nativeReason: z.string().exactOptional(),
	/** The name of the connection that was asked, in the settings of that time. */
	connection: z.string().exactOptional(),
	/** The model, routing and parameters that the reply was requested with. */
	asked: askedSchema.exactOptional(),
	/** The facts known about zero data retention when the reply was requested. */
	retention: retentionSchema.exactOptional(),
	/** The usage of the last part, if the reply was continued. */
	usage: usageSchema.exactOptional(),
	/** The cost by the prices at that time. If the reply was continued, it is the cost of the last part. */
	cost: costSchema.exactOptional(),
	/** Explains why the reply ended, if the state alone does not. */
	explanation: explanationSchema.exactOptional(),
	/** The reason for an end that is no error of the service but still needs an explanation. */
	problem: z.enum(['empty', 'length', 'filtered']).exactOptional(),
	/** The points at which a reply that had ended too early was continued, sorted by offset. */
	continuations: z
		.array(
			z.object({
				/** The length of the text before the continuation, in UTF-16 code units. */
				offset: z.int().nonnegative(),
				/** The state in which the previous part had ended. */
				after: stateSchema,
				/** `pausedAt` is when the previous part ended, if known. `resumedAt` is when the next part was requested. */
				pausedAt: time.exactOptional(),
				resumedAt: time,
				/** The usage of the previous part. */
				usage: usageSchema.exactOptional(),
				cost: costSchema.exactOptional(),
			}),
		)
		.exactOptional(),
	/** The sources of a search answer, as the service gave them. */
	sources: z
		.array(
			z.object({
				url: z.string().exactOptional(),
				title: z.string().exactOptional(),
				excerpt: z.string().exactOptional(),
				start: z.number().exactOptional(),
				end: z.number().exactOptional(),
			}),
		)
		.exactOptional(),
	/** The first tokens of the text with their probabilities, if they were requested. */
	logprobs: z.array(tokenSchema.extend({ top: z.array(tokenSchema) })).exactOptional(),
	/** The image of an image model, whose text is the image's address. Absent until it has been loaded. */
	image: imageSchema.exactOptional(),
	/** The work of the agent that gave the reply. */
	work: agentWorkSchema.exactOptional(),
});

const lineNumber = z.int().positive();

const attachmentSchema = z.object({
	kind: z.enum(ATTACHMENT_KINDS),
	label: z.string(),
	text: z.string(),
	uri: z.string().exactOptional(),
	path: z.string().exactOptional(),
	lines: z.object({ first: lineNumber, last: lineNumber }).exactOptional(),
	language: z.string().exactOptional(),
	image: attachedImageSchema.exactOptional(),
	omitted: z.int().positive().exactOptional(),
});

export const turnSchema = z.object({
	id: z.uuid(),
	/** The id of the preceding turn; absent for the first message. */
	previous: z.uuid().exactOptional(),
	askedAt: time,
	question: z.string(),
	/** Context that was attached to the message, as it was at that time. */
	attachments: z.array(attachmentSchema).exactOptional(),
	/** The instruction files that were sent with the message, as they were at that time; the last one wins. */
	instructions: z.array(attachmentSchema).exactOptional(),
	/** Absent for chat. */
	mode: modeSchema,
	/** Set if the turn's agent goes on from a step of the turn before, and not from its end. */
	from: z
		.object({
			turn: z.uuid(),
			step: z.string(),
			/** The title of the step. */
			title: z.string(),
			/** The states of each repository: its files after the step, and the user's files with what they had of the agent's changes. */
			states: z.array(z.object({ repository: z.string(), commit: commitSchema, taken: commitSchema })),
		})
		.exactOptional(),
	/** Set if the turn belongs to an encrypted conversation; it must never be sent in another one. */
	encrypted: z.literal(true).exactOptional(),
	replies: z.tuple([replySchema], replySchema),
});
