import assert from 'node:assert/strict';
import { sandboxInstallCommand } from '../../../../src/localService/model/sandboxPackage.ts';

describe('the command that installs the program of the sandbox', () => {
	it('is that of the distribution, or of the one that it is like', () => {
		const command = (...lines: string[]) => sandboxInstallCommand(['NAME="Linux"', ...lines, ''].join('\n'));
		assert.equal(command('ID=debian'), 'sudo apt install bubblewrap');
		assert.equal(command('ID="fedora"', 'ID_LIKE="rhel"'), 'sudo dnf install bubblewrap');
		assert.equal(command("ID='linuxmint'", 'ID_LIKE="ubuntu debian"'), 'sudo apt install bubblewrap');
		assert.equal(command('ID="opensuse-leap"', 'ID_LIKE="suse opensuse"'), 'sudo zypper install bubblewrap');
	});

	it('is none where the distribution is not known', () => {
		for (const release of ['', 'ID=plan9\n', 'VERSION_ID=debian\n', 'ID=constructor\n']) {
			assert.equal(sandboxInstallCommand(release), undefined);
		}
	});
});
