import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { waitFor } from '../../support/waitFor.ts';
import { conformance, type Implementation } from './harness.ts';

const RECORDS = 'cloud-tasks/repository-branch-and-organisation-records';

interface LookUpFailure {
	error: string;
	message: string;
	status: number;
}

async function refused({ fetch }: Implementation, target: string, status: number, init?: RequestInit) {
	const response = await fetch(`/api/local/${target}`, init);
	const body = (await response.json()) as LookUpFailure;
	assert.equal(response.status, status, JSON.stringify(body));
	assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'status']);
	assert.equal(body.status, status);
	return body.message;
}

/** What the service knows after its first task. */
async function known({ client, repoUrl, lookUps }: Implementation) {
	const { id } = await client.tasks.create({ prompt: 'Known', repoUrl, selectedAgent: 'demo' });
	const task = await waitFor('the end of the task', async () => {
		const read = await client.tasks.get(id);
		return read.status === 'completed' && read;
	});
	return { ...lookUps, task };
}

conformance('look-ups', verifies => {
	verifies(
		[
			`${RECORDS}/1`,
			`${RECORDS}/2`,
			`${RECORDS}/3`,
			'cloud-tasks/errors/5',
			'unspecified/cloud-tasks/16',
			...['orgs', 'repos', 'branches'].map(name => `cloud-tasks/get-cloud-url-api-scm-${name}/prose/2`),
		],
		'organisations, repositories and branches come as records with their documented fields, and no others',
		async implementation => {
			const { client, fetch } = implementation;
			const { owner, repo, cloneUrl } = await known(implementation);
			const organisations = await client.sources.organisations();
			assert.ok(organisations.some(({ login }) => login === owner));
			const repositories = await client.sources.repositories(owner);
			const [repository] = repositories;
			assert.equal(repositories.length, 1);
			assert.equal(repository?.full_name, `${owner}/${repo}`);
			assert.equal(repository?.clone_url, cloneUrl);
			const branches = await client.sources.branches(owner, repo);
			assert.ok(branches.some(({ name, isDefault }) => name === 'main' && isDefault));

			const kinds = {
				orgs: { login: 'string', name: 'string', avatar_url: 'string' },
				[`repos?owner=${owner}`]: {
					name: 'string',
					full_name: 'string',
					description: 'string or null',
					private: 'boolean',
					clone_url: 'string',
					updated_at: 'string',
					language: 'string or null',
				},
				[`branches?owner=${owner}&repo=${repo}`]: { name: 'string', protected: 'boolean', isDefault: 'boolean' },
			};
			for (const [target, fields] of Object.entries(kinds)) {
				const records = (await (await fetch(`/api/local/${target}`)).json()) as Record<string, unknown>[];
				assert.ok(records.length > 0);
				for (const record of records) {
					assert.deepEqual(Object.keys(record).sort(), Object.keys(fields).sort());
					for (const [field, kind] of Object.entries(fields)) {
						assert.ok(kind.split(' or ').includes(record[field] === null ? 'null' : typeof record[field]), field);
					}
				}
			}
		},
	);

	verifies(
		'cloud-tasks/task/31',
		'a task does not say that its user has no source-hosting connection where the look-ups find the repository',
		async implementation => {
			const { owner, repo, task } = await known(implementation);
			assert.ok((await implementation.client.sources.branches(owner, repo)).length > 0);
			assert.equal(task.isEmptyGitUser, false);
		},
	);

	const required = ['repos', 'branches'].map(name => `cloud-tasks/get-cloud-url-api-scm-${name}/prose/1`);
	verifies(
		['cloud-tasks/errors/6', 'cloud-tasks/errors/prose/3', ...required],
		'a missing owner or repo gets 400',
		async implementation => {
			assert.match(await refused(implementation, 'repos', 400), /owner/);
			assert.match(await refused(implementation, 'branches?repo=x', 400), /owner/);
			assert.match(await refused(implementation, 'branches?owner=x&repo=', 400), /repo/);
		},
	);

	verifies(
		['cloud-tasks/errors/7', 'cloud-tasks/errors/prose/3'],
		'an invalid or missing key gets 401',
		async implementation => {
			for (const target of ['orgs', 'repos?owner=x', 'branches?owner=x&repo=y']) {
				for (const authorization of ['', 'Bearer wrong']) {
					assert.match(await refused(implementation, target, 401, { headers: { authorization } }), /credentials/);
				}
			}
		},
	);

	verifies(
		['cloud-tasks/errors/8', 'cloud-tasks/errors/prose/3'],
		'a repository that is not there gets 404',
		async implementation => {
			const { owner } = await known(implementation);
			await refused(implementation, `branches?owner=${owner}&repo=nothing`, 404);
			await assert.rejects(implementation.client.sources.branches('nobody', 'nothing'), error =>
				ClientError.is(error, 'not-found'),
			);
		},
	);

	verifies(
		['cloud-tasks/errors/9', 'cloud-tasks/errors/prose/3'],
		'a repository that cannot be read gets 502',
		async implementation => {
			const { owner, repo, breakBranches } = await known(implementation);
			const mend = await breakBranches();
			try {
				const message = await refused(implementation, `branches?owner=${owner}&repo=${repo}`, 502);
				assert.match(message, /git|host/);
			} finally {
				await mend();
			}
		},
	);
});
