import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { searchModelOf } from '../../contract/search.ts';
import type { ModeModels } from './modeReply.ts';

/** What a connection has for search and for pictures. The search model has one name, whatever it is served by. */
export function modeModelsOf(connection: Connection): ModeModels {
	const image = connection.models.find(({ kinds }) => kinds.includes('image'))?.id;
	return {
		...(connection.models.some(({ kinds }) => kinds.includes('search')) ? { search: searchModelOf(connection) } : {}),
		...defined({ image }),
	};
}
