import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import {
	commands,
	EXTENSION_ID,
	LOG_LANGUAGE,
	PROMPT_SCHEME,
	settingScopes,
	taskContextValue,
	VIEW_CONTAINER,
	views,
} from '../../src/platform/ids.ts';
import { TEXT_COLUMN } from '../../src/tasks/model/formatEntry.ts';

interface Property {
	scope?: string;
	default?: unknown;
	description?: string;
	markdownDescription?: string;
}

interface Manifest {
	publisher: string;
	name: string;
	engines: { vscode: string };
	type: string;
	devDependencies: Record<string, string>;
	activationEvents: string[];
	extensionKind: string[];
	capabilities: {
		untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] };
		virtualWorkspaces: { supported: string };
	};
	contributes: {
		viewsContainers: { activitybar: { id: string; icon: string }[] };
		views: Record<string, { id: string }[]>;
		viewsWelcome: { view: string; contents: string; when: string }[];
		commands: { command: string; category: string }[];
		languages: { id: string }[];
		configurationDefaults: Record<string, Record<string, unknown>>;
		menus: Record<string, { command: string; when: string }[]>;
		configuration: { properties: Record<string, Property> }[];
	};
}

const text = readFileSync('package.json', 'utf8');
const manifest: Manifest = JSON.parse(text);
const strings: Record<string, string> = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const { contributes } = manifest;
const properties = Object.assign({}, ...contributes.configuration.map(section => section.properties)) as Record<
	string,
	Property
>;
const source = globSync('src/**/*.ts')
	.map(file => readFileSync(file, 'utf8'))
	.join('\n');

describe('what package.json contributes', () => {
	it('names exactly the commands of ids.ts, in the Errand category', () => {
		assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), Object.values(commands).sort());
		assert.deepEqual(
			contributes.commands.filter(({ category }) => category !== 'Errand'),
			[],
		);
	});

	it('names exactly the views of ids.ts, in the Errand container', () => {
		assert.deepEqual(Object.keys(contributes.views), [VIEW_CONTAINER]);
		assert.deepEqual(
			contributes.viewsContainers.activitybar.map(({ id }) => id),
			[VIEW_CONTAINER],
		);
		assert.deepEqual(contributes.views[VIEW_CONTAINER]?.map(({ id }) => id).sort(), Object.values(views).sort());
	});

	it('names exactly the settings of ids.ts, each with the scope that it must have', () => {
		const scopes = Object.fromEntries(Object.entries(properties).map(([id, { scope }]) => [id, scope]));
		assert.deepEqual(scopes, settingScopes);
	});

	it('never lets a repository choose a host, start a program or weaken privacy', () => {
		const guarded = /^errand\.(connections?|chat\.(routing|instructions|zeroDataRetention)|channel\..*|local\..*)$/;
		for (const [id, { scope }] of Object.entries(properties)) {
			if (guarded.test(id)) {
				assert.equal(scope, id.startsWith('errand.local.') ? 'machine' : 'application', id);
			} else {
				assert.ok(
					manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id) || !id.includes('agent'),
					`${id} must be restricted in an untrusted workspace`,
				);
			}
		}
	});

	it('describes every setting', () => {
		for (const [id, { description, markdownDescription }] of Object.entries(properties)) {
			assert.ok(description ?? markdownDescription, id);
		}
	});

	it('uses only commands and views that exist in menus, and context values that the code sets', () => {
		const known = new Set<string>(Object.values(commands));
		for (const { command, when } of Object.values(contributes.menus).flat()) {
			assert.ok(known.has(command), command);
			for (const [, view] of when.matchAll(/view == (\S+)/g)) {
				assert.ok(Object.values<string>(views).includes(view ?? ''), when);
			}
			for (const [, value] of when.matchAll(/viewItem == (\S+)/g)) {
				assert.ok(Object.values<string>(taskContextValue).includes(value ?? ''), when);
			}
		}
	});

	it('links only to commands that exist in welcome texts', () => {
		const known = new Set<string>(Object.values(commands));
		for (const { contents } of contributes.viewsWelcome) {
			const shown = strings[contents.slice(1, -1)] ?? '';
			assert.match(shown, /\(command:/);
			for (const [, command] of shown.matchAll(/\(command:([^)]+)\)/g)) {
				assert.ok(known.has(command ?? ''), command);
			}
		}
	});

	it('has a text for every placeholder, and a placeholder for every text', () => {
		const used = new Set([...text.matchAll(/%([\w.]+)%/g)].map(([, key]) => key ?? ''));
		assert.deepEqual([...used].sort(), Object.keys(strings).sort());
	});

	it('wraps the lines of a log under their text', () => {
		assert.deepEqual(
			contributes.languages.map(({ id }) => id),
			[LOG_LANGUAGE],
		);
		const defaults = contributes.configurationDefaults[`[${LOG_LANGUAGE}]`];
		assert.equal(defaults?.['editor.wordWrap'], 'on');
		// One stop of tabs from the beginning of the line, and that is as wide as what stands before the text.
		assert.equal(defaults['editor.wrappingIndent'], 'indent');
		assert.equal(defaults['editor.tabSize'], TEXT_COLUMN);
	});

	it('registers every command somewhere', () => {
		for (const name of Object.keys(commands)) {
			assert.match(source, new RegExp(`registerCommand\\(\\s*commands\\.${name}\\b`), name);
		}
	});

	it('starts late, in the workspace host, as an ES module, on the oldest editor it is typed for', () => {
		assert.deepEqual(manifest.activationEvents, ['onStartupFinished', 'onUri', `onFileSystem:${PROMPT_SCHEME}`]);
		assert.deepEqual(manifest.extensionKind, ['workspace']);
		assert.equal(manifest.type, 'module');
		assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
		assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
		assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
		assert.equal(manifest.capabilities.virtualWorkspaces.supported, 'limited');
	});
});
