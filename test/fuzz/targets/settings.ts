// Settings and files of a folder, which a repository may bring along, and addresses of every kind.
import assert from 'node:assert/strict';
import { UserFacingError } from '../../../src/base/errors.ts';
import { htmlText } from '../../../src/base/htmlText.ts';
import { parseJsonWithComments } from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/plainText.ts';
import {
	hasCredentials,
	isOnOtherMachine,
	isSameRepository,
	readRemoteUrl,
	repositoryKey,
	withoutCredentials,
} from '../../../src/base/remoteUrl.ts';
import { parseUriList } from '../../../src/chat/model/addedFiles.ts';
import { looksLikeFile, parseFileReference } from '../../../src/chat/model/fileReference.ts';
import { parsePrompt } from '../../../src/chat/model/prompt.ts';
import { findSecrets, isSecretName } from '../../../src/chat/model/secrets.ts';
import { terminalText } from '../../../src/chat/ui/agent/exactText.ts';
import { textOfParts } from '../../../src/chat/ui/agent/workFlow.ts';
import {
	isRemote,
	placeholdersOf,
	placeOfInput,
	placeOfSignIn,
	readServerFile,
	SERVER_FILES,
	SERVER_NAME,
	serverSettingSchema,
} from '../../../src/contract/mcpServers.ts';
import { routingProblem } from '../../../src/contract/routing.ts';
import { readTaskSettings, type TaskSetting } from '../../../src/localService/model/taskSettings.ts';
import { keyOrigins } from '../../../src/models/model/keyFormat.ts';
import { readConnectionAddress } from '../../../src/models/model/newConnection.ts';
import { connectionNames, readConnection } from '../../../src/models/model/readConnection.ts';
import { readTypedAddress } from '../../../src/models/model/typedAddress.ts';
import { readUpstreamSettings } from '../../../src/models/model/upstreamSettings.ts';
import { settingIssueText } from '../../../src/platform/settingIssue.ts';
import { SignInLinks } from '../../../src/platform/signInLinks.ts';
import { readTarget } from '../../../src/tasks/common/taskUri.ts';
import { comparePage, hostKindOf, likelyBases } from '../../../src/tasks/model/comparePage.ts';
import { readServiceAddress } from '../../../src/tasks/model/serviceAddress.ts';
import { repositoryName } from '../../../src/tasks/model/taskRow.ts';
import { readChangeUri } from '../../../src/tasks/results/changeUri.ts';
import { parseConfiguration } from '../../../src/team/configuration.ts';
import { assertLine, assertText, jsonOf, type Target, unlessRefused } from '../fuzzer.ts';

/** Asserts that paths can be put behind an address, and that a key which goes there stays there. */
function assertBase(address: string, protocols = /^https?:$/): void {
	const url = new URL(`${address}/models`);
	assert.match(url.protocol, protocols);
	assert.ok(url.pathname.endsWith('/models') && url.search === '' && url.hash === '', `${address} is no beginning`);
	assert.equal(url.username + url.password, '', 'an address has credentials');
	assert.equal(url.origin, new URL(address).origin);
}

const settings: Target = {
	name: 'settings',
	iterations: 500,
	run(input) {
		const text = input.toString();
		const value = parseJsonWithComments(text);
		const strict = jsonOf(input);
		assert.ok(
			strict === undefined || JSON.stringify(value) === JSON.stringify(strict),
			'JSON is read as something else',
		);
		const parts: Record<string, unknown> = { ...Object(value) };
		const said: string[] = [];
		for (const name of connectionNames(parts['connections'])) {
			const read = readConnection(name, parts['connections']);
			if ('connection' in read) {
				const { connection } = read;
				assertBase(connection.apiUrl, /^https:$|^http:$/);
				keyOrigins('inference', connection);
				routingProblem(connection, { model: 'demo/a', provider: { only: ['a'] } });
			} else if (read.problem === 'invalid') {
				said.push(settingIssueText(read.issue, read.value));
			}
		}
		const { upstreams, problems } = readUpstreamSettings(parts['upstreams']);
		for (const { setting } of upstreams) {
			assertBase(setting.url);
		}
		for (const { issue, entry } of problems) {
			said.push(issue === undefined ? 'name' : settingIssueText(issue, entry));
		}
		const { agents, routing, allowedAccounts, maxCost, retention, sandbox } = parts;
		const settings: Record<TaskSetting, unknown> = {
			'errand.local.agents': agents,
			'errand.local.sandbox': sandbox,
			'errand.local.allowedAccounts': allowedAccounts,
			'errand.local.ownAccounts': 'ask',
			'errand.tasks.maxCost': maxCost,
			'errand.chat.routing': routing,
			'errand.chat.zeroDataRetention': retention,
		};
		const tasks = readTaskSettings(id => settings[id], { MODE: 'a' });
		for (const { issue, entry } of tasks.agentProblems) {
			said.push(issue === undefined ? 'twice' : settingIssueText(issue, entry));
		}
		assert.ok(said.every(sentence => sentence !== ''));
		for (const entry of Object.values(Object(parts['mcpServers']))) {
			const server = serverSettingSchema.safeParse(entry).data;
			assert.ok(server === undefined || placeholdersOf(server).inputs.every(name => name !== ''));
		}
		checkServerFiles(value);
		unlessRefused(() => parseConfiguration(text, { KEY: 'sk-a' }), UserFacingError);
		return [...Object.keys(parts), upstreams.length, tasks.tasks.agents.length, ...tasks.unusable].join();
	},
};

/** What a folder declares is asked about in one question, and reaches nothing in the user's own network. */
function checkServerFiles(value: unknown): void {
	for (const file of SERVER_FILES) {
		const { servers, unusable } = readServerFile(value, file);
		assert.ok(servers.length + unusable.length <= 20);
		for (const server of servers) {
			assert.match(server.name, SERVER_NAME);
			assert.ok(JSON.stringify(server).length <= 10_000, 'a server is too long to be asked about');
			if (isRemote(server)) {
				const { protocol, hostname } = new URL(server.url);
				assert.equal(protocol, 'https:');
				assert.ok(
					!/^(?:localhost|127\.|10\.|192\.168\.|\[::1\])/.test(hostname),
					'a folder leads into the own network',
				);
			} else {
				assert.deepEqual([server.hosts, server.files, server.sandbox], [[], 'read', undefined]);
			}
		}
	}
}

/** A link as the editor hands it over, which anyone can have written. */
const uriOf = (text: string) => {
	const [, scheme = '', path = '', query = ''] = /^(?:([\w+.-]+):)?(?:\/\/[^/?#]*)?([^?#]*)\??(.*)$/s.exec(text) ?? [];
	return { scheme, path, query } as Parameters<typeof readChangeUri>[0];
};

const addresses: Target = {
	name: 'addresses',
	iterations: 800,
	async run(input) {
		const text = input.toString();
		const { url, key, text: shown } = readTypedAddress(text);
		if (url !== undefined) {
			assertBase(url);
		}
		// A host or a folder may be called like a password.
		if (key !== undefined && /^(?:sk|hf|gsk)-(?=\w*\d)\w{16,}$/.test(key)) {
			assert.ok(!`${shown} ${url}`.includes(key), 'a key is shown');
		}
		const own = readConnectionAddress(text).url;
		assert.ok(own === undefined || /^https?:\/\//.test(own));
		checkRemote(text);
		for (const allowsLoopback of [true, false]) {
			const address = readServiceAddress(text, { allowsLoopback });
			assert.ok(
				address === undefined || address.protocol === 'https:' || (allowsLoopback && address.protocol === 'http:'),
			);
		}
		const reference = parseFileReference(text);
		if (reference !== undefined) {
			assert.ok(!reference.path.split('/').includes('..') && !reference.path.startsWith('//'), 'a file lies elsewhere');
			assertLine(reference.path, 'the name of a file');
		}
		looksLikeFile(text);
		assert.ok(parseUriList(text).every(uri => URL.canParse(uri)));
		const uri = uriOf(text);
		const change = readChangeUri(uri);
		assert.ok(change === undefined || change.object === undefined || /^[\da-f]{40,64}$/.test(change.object));
		readTarget(uri);
		await new SignInLinks().take(uri.query).catch(error => assert.match(String(error), /window|showErrorMessage/));
		placeOfSignIn(`errand.mcpSignIn.${text}`);
		placeOfInput(`errand.mcp.${text}`);
		return [url === undefined, key === undefined, reference === undefined, change === undefined].join();
	},
};

function checkRemote(text: string): void {
	const place = readRemoteUrl(text);
	if (place.kind === 'url') {
		const url = new URL(place.url);
		assert.match(url.protocol, /^https?:$/);
		assert.equal(
			url.username + url.password + url.search + url.hash,
			'',
			'the address of a repository has credentials',
		);
		assert.deepEqual(readRemoteUrl(place.url), place, 'it is read as something else again');
		assert.ok(isSameRepository(place.url, text));
	}
	const kind = hostKindOf(text);
	if (kind !== undefined) {
		const page = comparePage(kind, { head: text, branch: 'a b', base: text, baseBranch: 'main' });
		assert.ok(page === undefined || /^https?:$/.test(new URL(page).protocol));
	}
	likelyBases({ name: 'origin', address: text }, [{ name: 'upstream', address: 'https://github.com/acme/widgets' }]);
	assert.ok(!hasCredentials(withoutCredentials(text)), 'credentials are left in an address');
	isOnOtherMachine(text);
	repositoryKey(text);
	assertLine(repositoryName(text), 'the name of a repository');
}

const texts: Target = {
	name: 'texts',
	iterations: 500,
	run(input) {
		const text = input.toString();
		const page = plainText(htmlText(text));
		assertText(page, 'a web page');
		assert.ok(page.length <= 100 + 4 * text.length, 'a web page grows');
		assert.ok(findSecrets(text).length <= 5);
		isSecretName(text);
		parsePrompt(text);
		terminalText(text);
		textOfParts([{ kind: 'text', key: 'a', start: 0, text, isLast: true }]);
		return page.length;
	},
};

export const settingTargets: readonly Target[] = [settings, addresses, texts];
