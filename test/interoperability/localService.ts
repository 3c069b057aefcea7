import { type StandIns, startStandIns } from '../support/modelStandIn.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

/** The model of the upstream, whose replies a test decides. */
export const SCRIPTED = 'scripted';

export interface LocalServiceInUse {
	service: ServiceProcess;
	upstream: UpstreamServer;
}

/** Starts the service with a stand-in for a model and one upstream for the tests of a `describe`. */
export function useLocalService(): LocalServiceInUse {
	const used = {} as LocalServiceInUse;
	let standIns: StandIns | undefined;
	before(async () => {
		used.upstream = await UpstreamServer.start();
		standIns = await startStandIns();
		const upstreams = [...standIns.upstreams, { slug: 'up', url: used.upstream.url, models: [SCRIPTED] }];
		used.service = await ServiceProcess.start({ handover: { upstreams } });
	});
	beforeEach(() => {
		used.upstream.behaviour = {};
		used.upstream.requests.length = 0;
	});
	after(async () => {
		await used.service?.stop();
		await used.upstream?.stop();
		await standIns?.stop();
	});
	return used;
}
