import { fuzz } from '../fuzz/fuzzer.ts';
import { teamRoutes } from '../fuzz/targets/team.ts';

describe('hostile requests to a front end', () => {
	after(() => teamRoutes.stop?.());

	it('break nothing that has to hold', async () => {
		await fuzz(teamRoutes, { seed: 1, goesOn: count => count < teamRoutes.iterations });
	});
});
