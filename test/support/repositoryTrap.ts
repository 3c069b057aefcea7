import { appendFile, chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TemporaryRepository } from './temporaryRepository.ts';

/** All events for which some version of git runs hooks. */
const EVENTS = [
	'applypatch-msg',
	'pre-applypatch',
	'post-applypatch',
	'pre-commit',
	'pre-merge-commit',
	'prepare-commit-msg',
	'commit-msg',
	'post-commit',
	'pre-rebase',
	'post-checkout',
	'post-merge',
	'pre-push',
	'pre-receive',
	'update',
	'proc-receive',
	'post-receive',
	'post-update',
	'reference-transaction',
	'push-to-checkout',
	'pre-auto-gc',
	'post-rewrite',
	'sendemail-validate',
	'fsmonitor-watchman',
	'post-index-change',
];

/**
 * A repository that tries to run a program by every means that its files offer. Each program touches a marker of its
 * own.
 */
export class RepositoryTrap {
	readonly repository: TemporaryRepository;
	private readonly markers: string;

	private constructor(repository: TemporaryRepository) {
		this.repository = repository;
		this.markers = path.join(repository.folder, 'markers');
	}

	static async create(): Promise<RepositoryTrap> {
		const trap = new RepositoryTrap(await TemporaryRepository.create());
		await mkdir(trap.markers);
		return trap;
	}

	marker(name: string): string {
		return path.join(this.markers, name.replaceAll('/', '-'));
	}

	/** Returns a command line for a setting. It touches its marker, and its output is harmless. */
	command(name: string): string {
		return `touch ${this.marker(name)}; cat`;
	}

	async script(file: string, name: string): Promise<string> {
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, `#!/bin/sh\ntouch ${this.marker(name)}\nexit 0\n`);
		await chmod(file, 0o755);
		return file;
	}

	/** Returns the sorted names of everything that has run since the last call. */
	async sprung(): Promise<string[]> {
		const names = await readdir(this.markers);
		await Promise.all(names.map(name => rm(path.join(this.markers, name))));
		return names.sort();
	}

	/** Puts a script for every event into a hooks folder. */
	async plantHooks(folder: string, name = 'hook'): Promise<void> {
		for (const event of EVENTS) {
			await this.script(path.join(folder, event), `${name}-${event}`);
		}
	}

	/** Writes a hook for every event into a configuration file, where git reads hooks from version 2.54 on. */
	async plantNamedHooks(file: string, name = 'named'): Promise<void> {
		const sections = EVENTS.map(event => this.namedHook(`${name}-${event}`, event));
		await mkdir(path.dirname(file), { recursive: true });
		await appendFile(file, sections.join(''));
	}

	/** Returns a section of a configuration file. `name` is written as it appears there, within its quotation marks. */
	namedHook(name: string, event: string): string {
		const marker = this.marker(`${event}-of-${name.replace(/[^\w.-]/g, '_')}`);
		// The command reads all input that git writes, and ends with `:`, because git appends arguments.
		const command = `touch ${marker}; cat > /dev/null; :`;
		return `[hook "${name}"]\n\tevent = ${event}\n\tcommand = "${command}"\n`;
	}

	/** Sets a program in every setting from which git runs one. */
	async plantSettings(): Promise<void> {
		const { repository } = this;
		const program = (name: string) => this.script(path.join(repository.folder, 'programs', name), name);
		const settings: Record<string, string> = {
			'core.fsmonitor': await program('fsmonitor'),
			'core.sshCommand': this.command('sshCommand'),
			'core.gitProxy': await program('gitProxy'),
			'core.askPass': await program('askPass'),
			'core.pager': this.command('pager'),
			'core.editor': this.command('editor'),
			'core.alternateRefsCommand': this.command('alternateRefs'),
			'sequence.editor': this.command('sequenceEditor'),
			'gpg.program': await program('gpg'),
			'gpg.ssh.program': await program('gpgSsh'),
			'commit.gpgSign': 'true',
			'push.gpgSign': 'true',
			'log.showSignature': 'true',
			'receive.certNonceSeed': 'seed',
			'credential.helper': `!${this.command('credential')}`,
			'uploadpack.packObjectsHook': await program('packObjectsHook'),
			'diff.external': await program('diffExternal'),
			'diff.evil.command': await program('diffCommand'),
			'diff.evil.textconv': this.command('textconv'),
			'merge.evil.driver': this.command('mergeDriver'),
			'filter.evil.clean': this.command('clean'),
			'filter.evil.smudge': this.command('smudge'),
			'filter.evil.required': 'true',
			'filter.evil-process.process': this.command('process'),
			'filter.evil-process.required': 'true',
			'interactive.diffFilter': this.command('diffFilter'),
			'url.ext::false.insteadOf': '/',
			'url.ext::false.pushInsteadOf': '/',
			'protocol.ext.allow': 'always',
			'protocol.allow': 'always',
			'submodule.recurse': 'true',
			'submodule.module.update': `!${this.command('submoduleUpdate')}`,
			'submodule.module.active': 'true',
			'fetch.recurseSubmodules': 'true',
			'gc.auto': '1',
			'receive.autogc': 'true',
			'trace2.eventTarget': this.marker('trace2'),
			'alias.upload-pack': `!${this.command('aliasUpload')}`,
			'alias.receive-pack': `!${this.command('aliasReceive')}`,
			'alias.for-each-ref': `!${this.command('aliasForEachRef')}`,
			'alias.rev-list': `!${this.command('aliasRevList')}`,
			'pager.log': 'true',
			'pager.diff': this.command('pagerDiff'),
			'pager.status': this.command('pagerStatus'),
			'pager.for-each-ref': this.command('pagerForEachRef'),
			'trailer.evil.command': this.command('trailer'),
			'trailer.evil.cmd': this.command('trailerCmd'),
			'init.templateDir': path.join(repository.folder, 'template'),
			'core.attributesFile': path.join(repository.folder, 'attributes'),
			'remote.origin.url': `ext::${this.command('remoteUrl')}`,
			'remote.origin.vcs': 'evil',
			'remote.origin.uploadpack': this.command('uploadpack'),
			'remote.origin.receivepack': this.command('receivepack'),
			'remote.origin.promisor': 'true',
			'remote.origin.partialCloneFilter': 'blob:none',
		};
		await this.plantHooks(path.join(repository.folder, 'template', 'hooks'), 'template');
		const added: string[] = [];
		for (const [name, value] of Object.entries(settings)) {
			// A setting of the remote replaces one that a test may have made. All others are new.
			if (name.startsWith('remote.')) {
				await repository.git('config', name, value);
			} else {
				added.push(section(name, value));
			}
		}
		// One write is much cheaper than starting git for each setting.
		await appendFile(path.join(repository.path, '.git', 'config'), added.join(''));
		await writeFile(path.join(repository.folder, 'attributes'), '* diff=evil merge=evil\n*.evil filter=evil\n');
		const included = path.join(repository.folder, 'included');
		await writeFile(included, `[core]\n\tfsmonitor = ${await program('includedMonitor')}\n`);
		await repository.git('config', 'include.path', included);
	}

	remove(): Promise<void> {
		return this.repository.remove();
	}
}

/** Returns a setting in the form of a configuration file, which quotes the part between the first and the last dot. */
function section(name: string, value: string): string {
	const [, area = '', part, key = ''] = /^([^.]+)\.(?:(.+)\.)?([^.]+)$/.exec(name) ?? [];
	const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
	return `[${area}${part === undefined ? '' : ` ${quoted(part)}`}]\n\t${key} = ${quoted(value)}\n`;
}
