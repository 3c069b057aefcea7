import { defined } from '../../base/defined.ts';
import type { Conversation, Reply } from '../model/conversation.ts';
import { type PolicyDefaults, policyInForce, retentionInForce } from '../model/policy.ts';
import { nameOf } from '../model/presets.ts';
import { servedModel, totalOf } from '../model/replyFacts.ts';
import type { DetailsView, FieldView, PolicyView } from './policyProtocol.ts';

/**
 * What the next message is sent with. `model` is that of the settings, for a conversation without one of its own.
 * `defaults` are undefined where a setting cannot be read: then nothing is sent.
 */
export function toPolicyView(
	conversation: Conversation,
	defaults: PolicyDefaults | undefined,
	model: string | undefined,
): PolicyView {
	const { settings } = conversation;
	const used = settings?.model ?? model;
	const named = used === undefined ? {} : { model: used };
	if (defaults === undefined) {
		const policy = { preset: 'unreadable', isPrivate: false, isLimited: false } as const;
		return { ...named, policy, retention: 'account', total: totalOf(conversation) };
	}
	const retention = retentionInForce(defaults, settings);
	return {
		...named,
		policy: nameOf(policyInForce(defaults, settings).provider),
		retention: retention === 'account' ? 'account' : retention ? 'on' : 'off',
		total: totalOf(conversation),
	};
}

/** Undefined for a reply of which nothing more is known than what it shows. */
export function toDetailsView(reply: Reply): DetailsView | undefined {
	const { asked, retention, serviceId, startedAt, firstAt } = reply;
	const { digest } = servedModel(reply);
	const details: DetailsView = {
		...(asked === undefined
			? {}
			: { asked: [asked.model, ...(asked.models ?? [])], policy: nameOf(asked.provider ?? {}) }),
		...(asked?.provider === undefined ? {} : { preferences: fieldsOf(asked.provider) }),
		...(asked?.parameters === undefined ? {} : { parameters: fieldsOf(asked.parameters) }),
		...defined({ digest, retention, serviceId }),
		...(firstAt === undefined ? {} : { firstWord: Math.max(0, firstAt - startedAt) }),
	};
	return Object.keys(details).length === 0 ? undefined : details;
}

function fieldsOf(fields: object): FieldView[] {
	return Object.entries(fields)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}
