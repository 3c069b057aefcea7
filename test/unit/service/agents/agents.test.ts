import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { agentsReportSchema } from '../../../../src/contract/agents.ts';
import { controlPaths, readDiscovery } from '../../../../src/contract/control.ts';
import { handOver } from '../../../../src/localService/serviceCalls.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';
import { useFolder } from '../../agents/useFolder.ts';

describe('the agents of the local service', () => {
	const folder = useFolder();
	let service: ServiceProcess | undefined;
	afterEach(() => service?.stop());

	/** Errand's own is only there where the checkout was built. */
	const read = async (from: ServiceProcess) =>
		agentsReportSchema
			.parse(await (await from.fetch(controlPaths.agents)).json())
			.agents.filter(({ source }) => source !== 'own');

	it('are those of the handover at the start and of each later one that says something of them, and what is on PATH', async () => {
		await folder.program('bin/opencode');
		await folder.program('own/mine');
		const agent = (id: string) => ({ id, command: folder.at('own/mine') });
		const upstreams = { upstreams: [], findOllama: false };
		service = await ServiceProcess.start({
			environment: { PATH: `${folder.at('bin')}:${process.env['PATH']}` },
			handover: { ...upstreams, tasks: { agents: [agent('first')] } },
		});
		const before = await read(service);
		assert.equal(before[0]?.id, 'first');
		assert.equal(before[0]?.location, folder.at('own/mine'));
		assert.equal(before.find(({ id }) => id === 'opencode')?.location, folder.at('bin/opencode'));

		const discovery = await readDiscovery(service.stateFolder);
		assert.ok(discovery);
		await handOver(discovery, { ...upstreams, tasks: { agents: [agent('second')] } });
		assert.equal((await read(service))[0]?.id, 'second');
		await handOver(discovery, upstreams);
		assert.equal((await read(service))[0]?.id, 'second');
		await handOver(discovery, { ...upstreams, tasks: {} });
		assert.equal((await read(service))[0]?.id, 'opencode');
	});

	it('end with the service, and an installation leaves nothing', async () => {
		await folder.program(
			'bin/npm',
			`#!/bin/sh\necho $$ > '${folder.at('pid.new')}'\nmv '${folder.at('pid.new')}' '${folder.at('pid')}'\ntrap '' TERM\nwhile :; do sleep 0.2; done\n`,
		);
		const stateFolder = folder.at('state');
		service = await ServiceProcess.start({
			stateFolder,
			environment: { PATH: `${folder.at('bin')}:/usr/bin:/bin`, HOME: folder.path },
		});
		const installable = (await read(service)).find(({ install }) => install !== undefined);
		if (installable === undefined) {
			// Nothing can be installed on a machine of this kind.
			return;
		}
		const { id } = installable;
		const asked = service.fetch(controlPaths.installAgent, { json: { id } });
		const answered = asked.then(
			({ status }) => status,
			() => 'closed',
		);
		const pid = Number(await waitFor('npm', () => readFile(folder.at('pid'), 'utf8').catch(() => undefined)));
		assert.equal(await isAlive(pid), true);
		await service.stop();
		assert.ok([503, 'closed'].includes(await answered));
		assert.equal(await isAlive(pid), false);
		assert.deepEqual(await readdir(folder.at('state', 'agents', id)), []);
	});

	it('loses at its start what a killed installation has left', async () => {
		await folder.file('state/lock.sqlite', '');
		const leftover = await folder.file('state/agents/opencode/1.18.33.0000.tmp/root/package.json', '{}');
		service = await ServiceProcess.start({ stateFolder: folder.at('state') });
		const isThere = () =>
			stat(leftover).then(
				() => true,
				() => false,
			);
		await waitFor('its removal', async () => !(await isThere()));
		await service.stop();
	});
});
