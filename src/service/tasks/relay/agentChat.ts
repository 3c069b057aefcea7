import { reduceChat } from '../../../agents/relay/reduceChat.ts';
import { isFields } from '../../../base/fields.ts';
import type { GatewayRequest } from '../../inference/provider.ts';
import { readChatRequest } from '../../inference/readChatRequest.ts';

/**
 * Reads the body of an agent's chat request. Without a model, it is for `model`.
 * @throws RequestRefused 400 naming the field that is missing or out of its range.
 */
export function readAgentChat(body: unknown, model: string): GatewayRequest {
	return readChatRequest(isFields(body) ? { model, ...reduceChat(body, true) } : body);
}
