import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { openWindow, startEditor } from '../../test/support/editor.ts';
import { totalsVariable } from './record.ts';

const bundle = process.env['ERRAND_TEST_BUNDLE'] ?? '';
const prefix = /^test\| /gm;
const others: string[] = [];

const server = await startEditor({ extensionTests: path.join(bundle, 'index.cjs') });
try {
	const window = await openWindow(server, {
		onPrint: text => (text.startsWith('test| ') ? console.log(text.replaceAll(prefix, '')) : others.push(text)),
	});
	process.exitCode = await window.testsEnded;
	if (!fs.existsSync(process.env[totalsVariable] ?? '')) {
		console.log(`The tests did not run. What the editor printed:\n${others.join('\n')}`);
	}
} finally {
	await server.stop();
}
