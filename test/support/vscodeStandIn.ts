// The unit stage loads this file before its tests. It replaces `vscode` with the few parts that the extension asks of
// an editor in which nothing is open. Everything else throws an error with its name, and is tested in `test/editor`.
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { t } from '@vscode/l10n';

/** The address of a file. */
class Uri {
	static readonly file = (file: string) => withNames('vscode.Uri', new Uri(file));
	/** Throws for an address that is not of a file. */
	static readonly parse = (address: string) => Uri.file(fileURLToPath(address));
	readonly scheme = 'file';
	readonly fsPath: string;
	readonly path: string;

	private constructor(fsPath: string) {
		this.fsPath = fsPath;
		this.path = decodeURIComponent(pathToFileURL(fsPath).pathname);
	}

	toString(): string {
		return pathToFileURL(this.fsPath).href;
	}
}

class ThemeIcon {
	readonly id: string;

	constructor(id: string) {
		this.id = id;
	}
}

class CancellationTokenSource {
	private readonly controller = new AbortController();
	readonly token = {
		onCancellationRequested: (listener: () => void) => this.controller.signal.addEventListener('abort', listener),
	};

	cancel(): void {
		this.controller.abort();
	}

	dispose(): void {}
}

/** What is there. A test replaces a function or a value by `Object.assign`, and puts it back. */
const present: Record<string, object> = {
	Uri,
	ThemeIcon,
	CancellationTokenSource,
	UIKind: { Desktop: 1, Web: 2 },
	env: { language: 'en', uiKind: 1 },
	extensions: { getExtension: () => undefined },
	// This implementation comes from the editor's makers and has the editor's rule for arguments.
	l10n: { t },
	window: { tabGroups: { all: [] }, withProgress: (_options: unknown, run: () => unknown) => run() },
	workspace: { isTrusted: true, textDocuments: [], workspaceFolders: undefined },
};

function refuse(name: string): never {
	throw new Error(`The editor’s stand-in has no ${name}. A test that needs it belongs in test/editor.`);
}

/** Returns a part of the API whose other members throw errors with their names. */
function withNames<T extends object>(name: string, part: T): T {
	return new Proxy(part, {
		get: (target, key) =>
			// Anything that is awaited is asked whether it is a promise.
			key in target || typeof key === 'symbol' || key === 'then' ? Reflect.get(target, key) : refuse(`${name}.${key}`),
	});
}

/** Returns a part that cannot be used at all. */
function missing(name: string): unknown {
	const fail = () => refuse(name);
	return new Proxy(class {}, { get: (_, key) => refuse(`${name}.${String(key)}`), apply: fail, construct: fail });
}

const declarations = readFileSync(createRequire(import.meta.url).resolve('@types/vscode/index.d.ts'), 'utf8').replace(
	/\/\*.*?\*\//gs,
	'',
);

/** Reads the numbers of an enumeration from its declaration. */
function numbersOf(body: string): Record<string, number> {
	const numbers: Record<string, number> = {};
	let next = 0;
	for (const [, member = '', number] of body.matchAll(/(\w+)(?: = (-?\d+))?/g)) {
		numbers[member] = number === undefined ? next : Number(number);
		next = (numbers[member] ?? 0) + 1;
	}
	return numbers;
}

/** The API, by the names in its declaration. */
export const standIn: Readonly<Record<string, unknown>> = Object.fromEntries(
	Array.from(
		declarations.matchAll(/^\texport (?:abstract )?(class|const|enum|function|namespace) (\w+)(?: \{(.*?)^\t\})?/gms),
		([, kind, name = '', body = '']) => {
			const part = kind === 'enum' ? numbersOf(body) : present[name];
			return [name, part === undefined ? missing(`vscode.${name}`) : withNames(`vscode.${name}`, part)];
		},
	),
);

const source = `import { standIn } from ${JSON.stringify(import.meta.url)};
export const { ${Object.keys(standIn).join(', ')} } = standIn;`;

registerHooks({
	resolve: (specifier, context, next) =>
		specifier === 'vscode'
			? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
			: next(specifier, context),
});
