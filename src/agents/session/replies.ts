// The agent's replies, of which only the needed parts are read. The schemas are lenient, as agents add to replies.
import * as z from 'zod';
import { oneLine } from '../../base/plainText.ts';
import { lenient, lenientArray } from '../../contract/lenient.ts';
import { STOP_REASONS } from './events.ts';

/** The length to which the name and version of an agent are cut. */
const MAXIMUM_NAME = 100;

export const nameText = z.string().transform(text => oneLine(text, MAXIMUM_NAME));

/** An object means that the agent has the ability. */
const ability = lenient(z.looseObject({}));

export const initializeReplySchema = z.object({
	protocolVersion: z.number(),
	agentInfo: lenient(z.object({ name: nameText, title: lenient(nameText), version: lenient(nameText) })),
	authMethods: lenientArray(z.object({ id: z.string().min(1).max(200), name: nameText, type: lenient(z.string()) })),
	agentCapabilities: lenient(
		z.object({
			loadSession: lenient(z.boolean()),
			promptCapabilities: lenient(z.object({ embeddedContext: lenient(z.boolean()), image: lenient(z.boolean()) })),
			sessionCapabilities: lenient(z.object({ resume: ability, close: ability })),
		}),
	),
});
export type InitializeReply = z.output<typeof initializeReplySchema>;

export const promptReplySchema = z.object({ stopReason: z.enum(STOP_REASONS) });

/** The reply to a request that only says that it was done. */
export const emptyReplySchema = z.unknown();
