/** The command that installs bubblewrap, by the distribution's `ID` in os-release(5). */
const COMMANDS: Readonly<Record<string, string>> = {
	debian: 'sudo apt install bubblewrap',
	ubuntu: 'sudo apt install bubblewrap',
	fedora: 'sudo dnf install bubblewrap',
	rhel: 'sudo dnf install bubblewrap',
	centos: 'sudo dnf install bubblewrap',
	arch: 'sudo pacman -S bubblewrap',
	suse: 'sudo zypper install bubblewrap',
	opensuse: 'sudo zypper install bubblewrap',
	alpine: 'sudo apk add bubblewrap',
	nixos: 'nix-env -iA nixos.bubblewrap',
};

/**
 * Returns the command that installs the sandbox's program, based on the content of `/etc/os-release`. An unknown
 * distribution counts as the first known one in its `ID_LIKE`. Returns undefined if there is none.
 */
export function sandboxInstallCommand(osRelease: string): string | undefined {
	const field = (name: string) =>
		new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(osRelease)?.[1]?.toLowerCase().split(/\s+/) ?? [];
	const known = [...field('ID'), ...field('ID_LIKE')].find(id => Object.hasOwn(COMMANDS, id));
	return known === undefined ? undefined : COMMANDS[known];
}
