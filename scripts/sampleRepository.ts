import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

interface Commit {
	date: string;
	message: string;
	files: Record<string, string>;
}

export interface SampleRepository {
	/** The clone that an editor opens, on `main`. */
	folder: string;
	/** The bare repository that it was pushed to. */
	origin: string;
}

const author = { name: 'Robin Acme', email: 'robin@acme.example' };

const packageFile = (version: string) => `{
	"name": "acme-widgets",
	"version": "${version}",
	"private": true,
	"type": "module",
	"scripts": {
		"test": "node --test"
	}
}
`;

const readme = `# Acme widgets

Prices and stock of the widgets that Acme sells.

- \`src/widget.ts\`: what a widget is
- \`src/price.ts\`: what an order costs
- \`src/stock.ts\`: what is left
`;

const widget = `export interface Widget {
	id: string;
	name: string;
	/** In cents. */
	price: number;
}

export function describe(widget: Widget): string {
	return \`\${widget.name}: \${(widget.price / 100).toFixed(2)}\`;
}
`;

const price = `import type { Widget } from './widget.ts';

/** The price of an order, in cents. */
export function total(widgets: readonly Widget[]): number {
	let sum = 0;
	for (const widget of widgets) {
		sum += widget.price;
	}
	return sum;
}
`;

const priceWithDiscount = `${price}
/** Ten or more widgets are 5 % cheaper. */
export function discounted(widgets: readonly Widget[]): number {
	const sum = total(widgets);
	return widgets.length > 10 ? Math.round(sum * 0.95) : sum;
}
`;

const stock = `const amounts = new Map<string, number>();

export function add(id: string, amount: number): void {
	amounts.set(id, (amounts.get(id) ?? 0) + amount);
}

export function take(id: string): boolean {
	const left = amounts.get(id) ?? 0;
	if (left === 0) {
		return false;
	}
	amounts.set(id, left - 1);
	return true;
}
`;

const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/price.ts';

test('an order costs what its widgets cost', () => {
	assert.equal(total([{ id: 'a', name: 'Cog', price: 250 }, { id: 'b', name: 'Gear', price: 400 }]), 650);
});
`;

const exporter = `import type { Widget } from './widget.ts';

export function toCsv(widgets: readonly Widget[]): string {
	return ['id,name,price', ...widgets.map(({ id, name, price }) => [id, name, price].join(','))].join('\\n');
}
`;

const onMain: Commit[] = [
	{
		date: '2026-03-02T09:12:00Z',
		message: 'Start the widget shop',
		files: { 'README.md': readme, '.gitignore': 'node_modules/\n' },
	},
	{
		date: '2026-03-02T10:40:00Z',
		message: 'Describe a widget',
		files: { 'package.json': packageFile('0.1.0'), 'src/widget.ts': widget },
	},
	{ date: '2026-03-03T14:05:00Z', message: 'Add up an order', files: { 'src/price.ts': price } },
	{ date: '2026-03-04T08:31:00Z', message: 'Test the price of an order', files: { 'test/price.test.ts': test } },
	{ date: '2026-03-09T16:20:00Z', message: 'Keep count of the stock', files: { 'src/stock.ts': stock } },
	{ date: '2026-03-11T11:02:00Z', message: 'Make large orders cheaper', files: { 'src/price.ts': priceWithDiscount } },
	{ date: '2026-03-12T09:00:00Z', message: 'Release 0.2.0', files: { 'package.json': packageFile('0.2.0') } },
];

const onBranch: Commit[] = [
	{ date: '2026-03-13T13:45:00Z', message: 'Export widgets as CSV', files: { 'src/csv.ts': exporter } },
];

/** Creates a small repository with a history at `folder`, and its bare origin beside it. */
export function makeSampleRepository(folder: string): SampleRepository {
	const origin = `${folder}-origin.git`;
	fs.mkdirSync(folder, { recursive: true });
	git(folder, ['init', '--quiet', '--initial-branch=main']);
	git(folder, ['config', 'user.name', author.name]);
	git(folder, ['config', 'user.email', author.email]);
	git(folder, ['config', 'commit.gpgSign', 'false']);
	for (const commit of onMain) {
		record(folder, commit);
	}
	git(folder, ['switch', '--quiet', '--create', 'csv-export']);
	for (const commit of onBranch) {
		record(folder, commit);
	}
	git(folder, ['switch', '--quiet', 'main']);
	git(path.dirname(folder), ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
	git(folder, ['remote', 'add', 'origin', origin]);
	git(folder, ['push', '--quiet', '--set-upstream', 'origin', 'main', 'csv-export']);
	git(folder, ['remote', 'set-head', 'origin', 'main']);
	return { folder, origin };
}

function record(folder: string, { date, message, files }: Commit): void {
	for (const [name, text] of Object.entries(files)) {
		const file = path.join(folder, name);
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, text);
	}
	git(folder, ['add', '--all']);
	git(folder, ['commit', '--quiet', '--message', message], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
}

function git(cwd: string, args: string[], environment: Record<string, string> = {}): void {
	// The user's own configuration could sign commits, run hooks or rewrite line ends, and a git hook that runs this
	// passes on its own repository.
	const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
	const isolated = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null' };
	const env = { ...Object.fromEntries(inherited), ...isolated, ...environment };
	try {
		execFileSync('git', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], env });
	} catch (error) {
		const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
		const reason =
			code === 'ENOENT' ? 'git is not installed; install it and try again' : String(stderr ?? error).trim();
		throw new Error(`The sample repository could not be made: git ${args[0]}: ${reason}.`);
	}
}
