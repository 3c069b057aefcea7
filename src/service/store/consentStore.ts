import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { SandboxProblem, StoredConsent, Withdrawal } from '../../contract/agents.ts';

const MAXIMUM_MISSING = 20;

export interface DependencyConsent {
	/** The hosts as `host:port`. */
	hosts: readonly string[];
	allowsScripts: boolean;
}

type GivenConsent =
	| { kind: 'search' }
	| { kind: 'unsandboxed'; problem: SandboxProblem }
	| ({ kind: 'dependencies' } & DependencyConsent);

/** Stores the user's consents for repositories, which are identified by the absolute paths of their folders. */
export class ConsentStore {
	private readonly database: DatabaseSync;

	constructor(database: DatabaseSync) {
		this.database = database;
	}

	/** Stores what the user allows for a repository. Replaces an earlier answer of the kind. */
	allow(folder: string, consent: GivenConsent): void {
		const { hosts, allowsScripts } = consent.kind === 'dependencies' ? consent : { hosts: [], allowsScripts: false };
		const problem = consent.kind === 'unsandboxed' ? consent.problem : null;
		this.database
			.prepare(
				`INSERT INTO consents (folder, kind, hosts, allowsScripts, allowedAt, problem) VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET hosts = excluded.hosts, allowsScripts = excluded.allowsScripts,
					allowedAt = excluded.allowedAt, problem = excluded.problem`,
			)
			.run(folder, consent.kind, JSON.stringify(hosts), Number(allowsScripts), new Date().toISOString(), problem);
	}

	/** Returns whether agents may run without a sandbox for this reason; an answer for another one does not count. */
	allowsUnsandboxed(folder: string, problem: SandboxProblem): boolean {
		const consent = this.get(folder, 'unsandboxed');
		return consent?.kind === 'unsandboxed' && consent.problem === problem;
	}

	/** Returns undefined if the user has not answered. */
	dependencies(folder: string): DependencyConsent | undefined {
		const consent = this.get(folder, 'dependencies');
		return consent?.kind === 'dependencies'
			? { hosts: consent.hosts, allowsScripts: consent.allowsScripts }
			: undefined;
	}

	allowsSearch(folder: string): boolean {
		return this.get(folder, 'search') !== undefined;
	}

	/**
	 * Stores hosts that an installation failed without, at most 20 for a repository, until the user's answer is
	 * withdrawn. Does nothing if the user has not answered, as nothing was installed then.
	 */
	addMissing(folder: string, hosts: readonly string[]): void {
		const all = [...new Set([...this.missing(folder), ...hosts])].slice(0, MAXIMUM_MISSING);
		this.database
			.prepare("UPDATE consents SET missingHosts = ? WHERE folder = ? AND kind = 'dependencies'")
			.run(JSON.stringify(all), folder);
	}

	/** Returns the hosts that installations failed without, even those that are allowed by now. */
	missing(folder: string): string[] {
		const row = this.database
			.prepare("SELECT missingHosts FROM consents WHERE folder = ? AND kind = 'dependencies'")
			.get(folder);
		return row === undefined ? [] : (JSON.parse(String(row['missingHosts'])) as string[]);
	}

	list(): StoredConsent[] {
		return this.database.prepare('SELECT * FROM consents ORDER BY folder, kind').all().map(consentOf);
	}

	/** Does nothing if there is no such consent. */
	withdraw({ folder, kind }: Withdrawal): void {
		this.database.prepare('DELETE FROM consents WHERE folder = ? AND kind = ?').run(folder, kind);
	}

	private get(folder: string, kind: StoredConsent['kind']): StoredConsent | undefined {
		const row = this.database.prepare('SELECT * FROM consents WHERE folder = ? AND kind = ?').get(folder, kind);
		return row && consentOf(row);
	}
}

function consentOf(row: Record<string, SQLOutputValue>): StoredConsent {
	const kept = { folder: String(row['folder']), allowedAt: String(row['allowedAt']) };
	if (row['kind'] === 'search') {
		return { kind: 'search', ...kept };
	}
	return row['kind'] === 'unsandboxed'
		? { kind: 'unsandboxed', ...kept, problem: row['problem'] as SandboxProblem }
		: {
				kind: 'dependencies',
				...kept,
				hosts: JSON.parse(String(row['hosts'])) as string[],
				allowsScripts: row['allowsScripts'] === 1,
			};
}
