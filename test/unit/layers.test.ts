import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The folders of a feature, lowest first: a folder imports from folders before it, and none from one in its own row. The
 * files that lie in the feature itself stand above its folders.
 */
const FOLDERS: Record<string, string[][]> = {
	chat: [
		['model'],
		['protocol', 'storage'],
		['ui', 'conversation', 'images'],
		['blocks', 'encrypted', 'modes', 'settings', 'agent'],
		['messages'],
		['context', 'conversations'],
	],
	tasks: [['model'], ['ui', 'common'], ['launch', 'results'], ['apply', 'list'], ['log'], ['review', 'branches']],
	channel: [['model'], ['ui']],
	models: [['model'], ['hosts'], ['keys'], ['diagnose']],
	localService: [['model']],
	costs: [['model']],
	decisions: [['model'], ['ui']],
	languageModels: [['model']],
	mcp: [['server']],
};

const FEATURES = Object.keys(FOLDERS);

/** The layers of src/, lowest first: the table of ARCHITECTURE.md. The last ones are the files of the root. */
const LAYERS: Record<string, { imports: string[]; vscode: boolean }> = Object.fromEntries(
	[
		...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(
			/^\| (the features|`[^|]+`) \| [^|]+ \| ([^|;]+)[^|]* \| (never|yes)[^|]* \|$/gm,
		),
	].flatMap(([, names = '', imports = '', vscode]) => {
		const layers = names === 'the features' ? FEATURES : names.replaceAll(/`|\/(?=`)/g, '').split(', ');
		return layers.map(layer => [layer, { imports: imports.split(', '), vscode: vscode === 'yes' }]);
	}),
);
const isRoot = (location: string) => location in LAYERS && location.endsWith('.ts');

interface Import {
	file: string;
	specifier: string;
	/** Nothing but types is imported. */
	isType: boolean;
}

const files = globSync('src/**/*.ts').map(file => file.split(path.sep).join('/'));
const sourceOf = (file: string) => readFileSync(file, 'utf8');

/** Static and dynamic imports in any quotes, type-only ones included: a type is a dependency too. */
function importsOf(file: string): Import[] {
	const pattern = /(^(?:import|export)\s+type\s[^;'"`]*?)?(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)(['"`])(.+?)\2/gm;
	return [...sourceOf(file).matchAll(pattern)].map(([, type, , specifier = '']) => ({
		file,
		specifier,
		isType: type !== undefined,
	}));
}

/** Files that load a package with themselves: they import it, or files that do, and not only types nor on demand. */
function loadersOf(name: string): string[] {
	const pattern = /^(?:import|export)\s(?!type\s)[^;]*?\bfrom\s*'(.+?)'/gm;
	const targets = new Map(
		files.map(file => {
			const specifiers = [...sourceOf(file).matchAll(pattern)].map(([, specifier = '']) => specifier);
			return [file, specifiers.map(to => (to.startsWith('.') ? path.posix.join(path.posix.dirname(file), to) : to))];
		}),
	);
	const found = new Set<string>();
	let count = -1;
	while (found.size > count) {
		count = found.size;
		for (const [file, imported] of targets) {
			if (imported.some(target => target.startsWith(`${name}/`) || found.has(target))) {
				found.add(file);
			}
		}
	}
	return [...found];
}

/** Whether the file at `path` under src/ lies in the folder. */
const isIn = (folder: string, location: string) => location.startsWith(`${folder}/`);

/** Whether the file at `path` under src/ has the types that other features use of one. */
const isApi = (location: string) => FEATURES.some(feature => location === `${feature}/api.ts`);

/** A folder inside of a feature that is a layer comes before the feature. */
const layerOf = (location: string) =>
	Object.keys(LAYERS).find(layer => layer === location || isIn(layer, location)) ?? '';

function violations(): string[] {
	const found: string[] = [];
	for (const { file, specifier, isType } of files.flatMap(importsOf)) {
		const location = file.slice('src/'.length);
		const layer = layerOf(location);
		const rule = LAYERS[layer];
		if (specifier === 'vscode') {
			if (!rule?.vscode || /\/(model|ui)\//.test(location)) {
				found.push(`${location} imports vscode`);
			}
			continue;
		}
		if (!specifier.startsWith('.')) {
			continue;
		}
		const target = path.posix.join(path.posix.dirname(location), specifier);
		if (isApi(target) && isType && (isRoot(layer) || FEATURES.includes(layer))) {
			continue;
		}
		const isDoor = isRoot(layer) && (isRoot(target) || FEATURES.some(feature => target === `${feature}/register.ts`));
		if (!isDoor && !isIn(layer, target) && !rule?.imports.some(allowed => isIn(allowed, target))) {
			found.push(`${location} imports ${target}`);
		}
	}
	return found;
}

/**
 * The folder of a feature that a file lies in, by its place in the feature's rows; files of the feature itself are above
 * all, but for `api.ts`, which lies right above `model`.
 */
function levelOf(feature: string, location: string): { folder: string; level: number } {
	const [, folder = '', ...rest] = location.split('/');
	const rows = FOLDERS[feature] ?? [];
	if (isApi(location)) {
		return { folder: 'api.ts', level: 0.5 };
	}
	return rest.length === 0
		? { folder: '', level: rows.length }
		: { folder, level: rows.findIndex(row => row.includes(folder)) };
}

function upwardImports(): string[] {
	const found: string[] = [];
	for (const { file, specifier } of files.flatMap(importsOf)) {
		const location = file.slice('src/'.length);
		const feature = location.split('/')[0] ?? '';
		const target = path.posix.join(path.posix.dirname(location), specifier);
		if (!FEATURES.includes(feature) || !specifier.startsWith('.') || !isIn(feature, target)) {
			continue;
		}
		const [from, to] = [levelOf(feature, location), levelOf(feature, target)];
		if (from.level < 0 || to.level < 0 || (from.folder !== to.folder && to.level >= from.level)) {
			found.push(`${location} imports ${target}`);
		}
	}
	return found;
}

/** Groups of files that import one another in a circle, type-only imports included. Tarjan's algorithm. */
function circles(): string[][] {
	const known = new Set(files);
	const found: string[][] = [];
	const order = new Map<string, number>();
	const lowest = new Map<string, number>();
	const open: string[] = [];
	const visit = (file: string): number => {
		const place = order.size;
		order.set(file, place);
		open.push(file);
		let low = place;
		for (const { specifier } of importsOf(file)) {
			const target = path.posix.join(path.posix.dirname(file), specifier);
			if (!specifier.startsWith('.') || !known.has(target)) {
				continue;
			}
			if (!order.has(target)) {
				low = Math.min(low, visit(target));
			} else if (open.includes(target)) {
				low = Math.min(low, lowest.get(target) ?? order.get(target) ?? 0);
			}
		}
		lowest.set(file, low);
		if (low === place) {
			const circle = open.splice(open.indexOf(file));
			if (circle.length > 1) {
				found.push(circle.sort());
			}
		}
		return low;
	};
	for (const file of files) {
		if (!order.has(file)) {
			visit(file);
		}
	}
	return found;
}

describe('the layers of src', () => {
	it('has files in every layer, and no folder that is no layer', () => {
		const folders = new Set(files.map(file => file.split('/')[1] ?? ''));
		const layers = new Set(Object.keys(LAYERS).map(layer => layer.split('/')[0] ?? ''));
		assert.deepEqual([...folders].sort(), [...layers].sort());
	});

	it('imports only downwards, a feature only through its door, and of another feature only the types of its api', () => {
		assert.deepEqual(violations(), []);
	});

	it('has nothing but types in what other features use of one', () => {
		const apis = files.filter(file => isApi(file.slice('src/'.length)));
		const types = /^(?:import type |export (?:interface|type) |[\t }/]|$)/;
		assert.ok(apis.length > 0);
		assert.deepEqual(
			apis.flatMap(file => sourceOf(file).split('\n')).filter(line => !types.test(line)),
			[],
		);
	});

	it('has no circle of files, type-only imports included', () => {
		assert.deepEqual(circles(), []);
	});

	it('imports only downwards inside a feature', () => {
		assert.deepEqual(upwardImports(), []);
	});

	it('keeps zod and the host out of the page', () => {
		const outside = files
			.filter(file => file.includes('/ui/'))
			.flatMap(importsOf)
			.filter(({ specifier }) => specifier === 'zod' || specifier.startsWith('node:'));
		assert.deepEqual(outside, []);
	});

	it('loads the curves of the encrypted channel with its sessions and attestations only', () => {
		const loaders = loadersOf('@noble/curves');
		assert.ok(loaders.includes('src/client/channel/session.ts'));
		const outside = loaders.filter(file => !/^src\/(crypto|client\/channel|service\/channel)\//.test(file));
		assert.deepEqual(outside, []);
		assert.ok(!loaders.some(file => /\/(channel|verdicts|memory|channelRoutes)\.ts$/.test(file)));
	});

	it('imports zod as a namespace and nothing but types of its core: both would bundle all its locales', () => {
		const wrong = files.filter(file => {
			const source = sourceOf(file);
			return /import\s*(?:type\s*)?\{[^}]*\}\s*from\s*'zod'/.test(source) || /\bz\.(?:core\.[^$]|locales)/.test(source);
		});
		assert.deepEqual(wrong, []);
	});

	it('reads the settings in one place', () => {
		const readers = files.filter(file => /getConfiguration\(/.test(sourceOf(file)));
		assert.deepEqual(readers, ['src/platform/settings.ts']);
	});

	it('draws lists and boxes of its own in the platform alone', () => {
		const makers = files.filter(file => /\bcreate(?:QuickPick|InputBox)\b/.test(sourceOf(file)));
		assert.deepEqual(
			makers.filter(file => !file.startsWith('src/platform/')),
			[],
		);
	});

	it('adds lists to others by `append`, because the stack holds about 125,000 arguments', () => {
		// An argument may hold calls of its own, but neither an object nor a list, where `...` is harmless.
		const spread = /\.(?:push|unshift|splice)\((?:[^(){}[\]]|\([^(){}[\]]*\))*\.\.\./;
		const wrong = files.filter(file => spread.test(sourceOf(file).replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')));
		assert.deepEqual(wrong, []);
	});

	it('keeps the root under 150 lines and every file under 500', () => {
		const lengths = files.map(file => ({ file, lines: sourceOf(file).split('\n').length }));
		assert.deepEqual(
			lengths.filter(({ file, lines }) => lines > (file === 'src/extension.ts' ? 150 : 500)),
			[],
		);
	});
});
