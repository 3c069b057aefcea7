import { CustomCalls } from '../../../agents/relay/customTools.ts';
import { reduceResponses } from '../../../agents/relay/reduceResponses.ts';
import { isFields } from '../../../base/fields.ts';
import type { ReasoningSeal } from '../../responses/reasoningSeal.ts';
import { readResponsesRequest } from '../../responses/responsesRequest.ts';
import type { ForeignResponses } from '../../responses/responsesRoutes.ts';

/**
 * Creates the form in which agents use the responses endpoint. A request without a model is for `model`. Fields, tools
 * and items that a gateway can ignore are left out; free-form tools become functions and their calls free-form again;
 * reasoning that was not sealed by this service is left out.
 */
export function agentResponses(model: string, seal: ReasoningSeal): ForeignResponses {
	return {
		read(body) {
			const { request, customTools } = reduceResponses(isFields(body) ? body : {}, ({ encrypted_content: sealed }) =>
				typeof sealed === 'string' ? seal.open(sealed) !== undefined : false,
			);
			const read = readResponsesRequest({ model, ...request }, () => false);
			const calls = new CustomCalls(customTools);
			return { ...read, present: events => calls.present(events) };
		},
	};
}
