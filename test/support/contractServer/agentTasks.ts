import { checkedQuery, oneOf, queryInteger } from './checks.ts';
import { type Call, jsonReply, Refusal, type Reply, type Route } from './exchange.ts';
import { specialKeys } from './fixtures.ts';
import { agentTasks } from './taskFixtures.ts';

/** contract: not shown, neither the parameters nor the reply. */
export function agentTaskRoutes(): Route[] {
	return [
		{
			hosts: ['agent'],
			method: 'GET',
			path: '/api/v1/tasks',
			key: 'agent',
			errorBody: (status, message) => ({ error: status === 401 ? 'Unauthorized' : message }),
			handle: page,
		},
	];
}

function page({ request, key }: Call): Reply {
	if (key === specialKeys.agentWithoutPlan) {
		throw new Refusal(403, 'Please subscribe to the Pro plan to use this API');
	}
	const query = checkedQuery(request.query, 'page', 'limit', 'status');
	const number = queryInteger(query['page'], 'page', 1, { from: 1 });
	const limit = queryInteger(query['limit'], 'limit', 20, { from: 1, to: 100 });
	const { status } = query as { status?: string };
	if (status !== undefined) {
		oneOf(...agentTasks.map(task => task.status))(status, 'status');
	}
	const found = agentTasks.filter(task => status === undefined || task.status === status);
	const tasks = found.slice((number - 1) * limit, number * limit);
	const list = { tasks, page: number, limit, hasMore: found.length > number * limit };
	return jsonReply(key === specialKeys.agentBareList ? tasks : list);
}
