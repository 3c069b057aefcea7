import { checkedQuery } from './checks.ts';
import { jsonReply, Refusal, type Reply, type Route } from './exchange.ts';
import { scm, specialKeys } from './fixtures.ts';
import { branches, organisations, repositories } from './taskFixtures.ts';

const titles: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	404: 'Not Found',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
};

export function sourceRoutes(): Route[] {
	const lookUp = (name: string, parameters: string[], answer: (query: Record<string, string>) => unknown): Route => ({
		hosts: ['cloud'],
		method: 'GET',
		path: `/api/${scm}/${name}`,
		key: 'cloud',
		errorBody: (status, message) => ({ error: titles[status] ?? 'Error', message, status }),
		handle: ({ request, key }): Reply => {
			const query = checkedQuery(request.query, ...parameters);
			const missing = parameters.filter(parameter => (query[parameter] ?? '') === '');
			if (missing.length > 0) {
				throw new Refusal(400, `Missing ${missing.join(' and ')}`);
			}
			checkAccount(key);
			return jsonReply(key === specialKeys.withoutTasks ? [] : answer(query));
		},
	});
	return [
		lookUp('orgs', [], () => organisations),
		lookUp('repos', ['owner'], ({ owner = '' }) => repositoriesOf(owner)),
		lookUp('branches', ['owner', 'repo'], ({ owner = '', repo }) => {
			if (!repositoriesOf(owner).some(({ name }) => name === repo)) {
				throw new Refusal(404, 'Repository not found or no access');
			}
			return branches;
		}),
	];
}

function repositoriesOf(owner: string): { name: string }[] {
	return Object.hasOwn(repositories, owner) ? repositories[owner as keyof typeof repositories] : [];
}

function checkAccount(key: string): void {
	if (key === specialKeys.withoutSourceLink) {
		throw new Refusal(404, 'Source-hosting token not found or expired');
	}
	if (key === specialKeys.brokenSource) {
		throw new Refusal(502, 'Source-hosting API error');
	}
	if (key === specialKeys.brokenDatabase) {
		throw new Refusal(500, 'Database error');
	}
}
