import type { Conversation } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import type { ConversationSettings } from '../model/settings.ts';
import type { ChatOptions, ChatService, SendRefusal } from './chatOptions.ts';
import { refuseEncrypted } from './conversationChannel.ts';
import type { ModeModels } from './replyRequest.ts';

/** Returns the model of a mode in a conversation without encryption. `usual` is the connection's chat model. */
export function modelOfMode(
	mode: TurnMode,
	settings: ConversationSettings | undefined,
	{ usual, models }: { usual: string | undefined; models: ModeModels },
): string | undefined {
	if (mode === 'chat' || mode === 'agent') {
		return settings?.model ?? usual;
	}
	return (mode === 'image' ? settings?.imageModel : undefined) ?? models[mode];
}

/** Resolves to the model that answers in a mode and the name of its connection, or to the reason why there is none. */
export async function findModel(
	conversation: Conversation,
	mode: TurnMode,
	{ service, storage }: Pick<ChatOptions, 'service' | 'storage'>,
): Promise<{ model: string; label: string } | SendRefusal> {
	const { encryption, settings } = conversation;
	// An agent works with the chat model.
	const isOfChat = mode === 'chat' || mode === 'agent';
	let connection: Awaited<ReturnType<ChatService['connection']>>;
	let models: ModeModels = {};
	try {
		connection = await service.connection();
		models = isOfChat || encryption ? {} : await service.modes();
	} catch (error) {
		return { reason: 'no-connection', error };
	}
	const { label } = connection;
	const refusal = encryption && refuseEncrypted(encryption, mode, connection.name);
	if (refusal) {
		return refusal;
	}
	const model = encryption
		? (encryption.model ?? label)
		: modelOfMode(mode, settings, { usual: connection.model, models });
	if (model === undefined) {
		return isOfChat ? { reason: 'no-model' } : { reason: 'no-mode', mode };
	}
	const explanation = mode === 'agent' ? await service.agents.refusal() : undefined;
	if (explanation) {
		return { reason: 'no-agent', explanation };
	}
	// This is checked before the image is requested and paid for.
	if (mode === 'image' && !(await storage.images.hasRoom(conversation.id))) {
		return { reason: 'images-full' };
	}
	return { model, label };
}
