import assert from 'node:assert/strict';
import { changesIn, releaseChanges } from '../../../../scripts/release/changelog.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

### Fixed

- New.

## [1.0.0] - 2026-01-01

### Added

- Old.

## [0.9.0] - 2025-01-01
`;

describe('the changelog', () => {
	it('tells what a version has changed, without the versions around it', () => {
		assert.equal(changesIn(CHANGELOG, '1.0.0'), '### Added\n\n- Old.');
		assert.equal(changesIn(releaseChanges(CHANGELOG, '1.1.0', '2026-02-02'), '1.1.0'), '### Fixed\n\n- New.');
	});

	it('does not pass for saying something of a version that it does not name, or names alone', () => {
		for (const version of ['1.1.0', '0.9.0', '1.0']) {
			assert.throws(() => changesIn(CHANGELOG, version), /says nothing of/, version);
		}
	});
});
