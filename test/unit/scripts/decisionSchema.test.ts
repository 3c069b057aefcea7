import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decisionSchema, SCHEMA_FILE, schemaText } from '../../../scripts/decisionSchema.ts';
import { DECISION_FILE } from '../../../src/decisions/model/decisionFile.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
	contributes: { jsonValidation: { fileMatch: string; url: string }[] };
};

describe('the JSON schema of decision files', () => {
	it('is the one that the schema of the code makes: `node scripts/decisionSchema.ts` writes it', () => {
		assert.equal(readFileSync(SCHEMA_FILE, 'utf8'), schemaText());
	});

	it('is contributed for the files that are evaluated', () => {
		assert.deepEqual(manifest.contributes.jsonValidation, [{ fileMatch: '*.decision.json', url: `./${SCHEMA_FILE}` }]);
		assert.match('a.decision.json', DECISION_FILE);
		assert.doesNotMatch('decision.json', DECISION_FILE);
	});

	it('explains every field, source and kind of question', () => {
		const { properties = {} } = decisionSchema();
		const { $schema: _, ...own } = properties;
		const questions = own['questions']?.additionalProperties?.oneOf ?? [];
		const sources = own['sources']?.additionalProperties?.oneOf ?? [];
		const parts = [
			...Object.values(own),
			...questions.flatMap(form => Object.values(form.properties ?? {})),
			...sources.map(form => form.properties?.['from']),
		];
		assert.equal(questions.length, 3);
		assert.equal(sources.length, 7);
		assert.deepEqual(
			parts.filter(part => !part?.description),
			[],
		);
	});
});
