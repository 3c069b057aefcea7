import assert from 'node:assert/strict';
import type { ReportView } from '../../src/channel/model/protocol.ts';
import { fits, looksRight, REPORT_WIDTHS } from '../ui/pageChecks.ts';
import { ReportTestPage } from '../ui/reportTestPage.ts';
import { usePage } from '../ui/testPage.ts';

const HOSTILE = '<img src="https://evil.example/x" onerror="document.title=1"></script>';

const OPEN: ReportView = {
	title: 'Attestation of Acme · large · fast',
	sentence: 'Encrypted. GPU evidence not proven. Not proven: that the key lives in a GPU; freshness; which software.',
	tone: 'open',
	details: ['https://enclave.example/enc/fast/large/attestation', 'Checked Nov 27, 2026, 9:00:00 PM'],
	checks: [
		{
			label: 'Public key',
			verdict: 'pass',
			word: 'Pass',
			input: 'public_key_b64',
			reason: 'A point of the curve P-384.',
		},
		{ label: 'GPU evidence', verdict: 'unknown', word: 'Unknown', reason: 'There is no evidence in the report.' },
	],
	raw: [
		{ name: 'report_json', text: `{\n  "arch": "${'HOPPER '.repeat(40)}"\n}`, isCut: false },
		{ name: 'signature', text: 'MGUCMQ', isCut: true },
	],
	canExport: true,
	isChecking: false,
};

const BROKEN: ReportView = {
	...OPEN,
	sentence: 'Not trusted: the check “GPU evidence” failed. Nothing is sent over this channel.',
	tone: 'bad',
	checks: [{ label: 'GPU evidence', verdict: 'fail', word: 'Fail', reason: 'It does not lead to the maker’s root.' }],
};

const UNREACHABLE: ReportView = {
	...OPEN,
	sentence: 'enclave.example can’t be reached (ENOTFOUND). Check the address and the network.',
	tone: 'bad',
	details: [],
	checks: [],
	raw: [],
	canExport: false,
};

const CHECKING: ReportView = {
	...OPEN,
	sentence: 'Checking…',
	tone: 'pending',
	checks: [{ label: 'Public key', verdict: 'pending', word: 'Not checked', reason: '' }],
	raw: [],
	canExport: false,
	isChecking: true,
};

describe('the page of an attestation report', () => {
	let page: ReportTestPage<ReportView>;
	const open = usePage({ name: 'attestation' }, ReportTestPage<ReportView>, opened => {
		page = opened;
	});

	it('is accessible in every theme, wide and narrow, whatever the checks have found', async () => {
		await open({ width: 1000, height: 900 });
		const views = { open: OPEN, broken: BROKEN, checking: CHECKING, unreachable: UNREACHABLE };
		const scenes = Object.entries(views).map(
			([name, view]) => [name, (shown: typeof page) => shown.show(view)] as const,
		);
		const unfolded = async (shown: typeof page) => {
			await shown.show(OPEN);
			await shown.page.locator('summary').first().click();
		};
		await looksRight(page, { ...Object.fromEntries(scenes), unfolded }, REPORT_WIDTHS);
	});

	it('says each verdict with a word, so that no colour and no mark has to be understood', async () => {
		await open({ width: 1000 });
		await page.show({ ...OPEN, checks: [...OPEN.checks, ...BROKEN.checks, ...CHECKING.checks] });
		const verdicts = await page.page.locator('td.verdict').allInnerTexts();
		assert.deepEqual(
			verdicts.map(text => text.replace(/\s+/g, ' ')),
			['✓ Pass', '– Unknown', '✕ Fail', '– Not checked'],
		);
		assert.equal(await page.page.getByRole('status').innerText(), OPEN.sentence);
		await page.page.getByRole('row').filter({ hasText: 'Public key' }).getByText('public_key_b64').first().waitFor();
	});

	it('is worked by keyboard, keeps the focus while it checks, and asks for one check at a time', async () => {
		await open({ width: 1000 });
		await page.show(OPEN);
		const { keyboard } = page.page;
		const focused = page.page.locator(':focus');
		await keyboard.press('Tab');
		await keyboard.press('Enter');
		await page.show(CHECKING);
		assert.equal((await focused.innerText()).trim(), 'Check Again');
		await keyboard.press('Enter');
		await page.show(OPEN);
		await keyboard.press('Tab');
		await keyboard.press('Enter');
		assert.deepEqual(await page.posted(), [
			{ kind: 'page-ready' },
			{ kind: 'check-again' },
			{ kind: 'export-request' },
		]);
		await keyboard.press('Tab');
		await keyboard.press('Enter');
		await page.page.locator('details[open] pre').waitFor();
		await keyboard.press('Tab');
		assert.equal(await focused.getAttribute('aria-label'), 'report_json');
	});

	it('offers no export before there is something to export, and says where evidence is cut', async () => {
		await open({ width: 1000 });
		await page.show(CHECKING);
		assert.equal(await page.button('Export…').isDisabled(), true);
		await page.show(OPEN);
		assert.deepEqual(await page.press('Export…'), [{ kind: 'export-request' }]);
		await page.page.getByText('signature', { exact: true }).click();
		await page.page.getByText('The rest isn’t shown here. The export has all of it.').waitFor();
	});

	it('shows hostile evidence as text, and loads nothing of it', async () => {
		await open({ width: 1000 });
		await page.show({
			...BROKEN,
			title: HOSTILE,
			sentence: HOSTILE,
			details: [HOSTILE],
			checks: [{ label: HOSTILE, verdict: 'fail', word: HOSTILE, input: HOSTILE, reason: 'x'.repeat(500) }],
			raw: [{ name: HOSTILE, text: HOSTILE.repeat(20), isCut: false }],
		});
		await page.page.locator('summary').click();
		assert.equal(await page.page.locator('pre').innerText(), HOSTILE.repeat(20));
		assert.equal(await page.page.locator('h1').innerText(), HOSTILE);
		assert.equal(await page.page.locator('img').count(), 0);
		await fits(page, 'hostile', [280, 1000]);
	});
});
