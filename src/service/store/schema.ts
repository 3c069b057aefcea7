/** The version of the schema, which is stored in the file (`PRAGMA user_version`); 0 stands for a new file. */
export const SCHEMA_VERSION = 8;

/** The SQL that creates the schema of the first version. */
export const FIRST_SCHEMA = `
	CREATE TABLE tasks (
		sequence INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		prompt TEXT NOT NULL,
		currentPrompt TEXT,
		repoUrl TEXT NOT NULL,
		selectedBranch TEXT NOT NULL,
		selectedAgent TEXT NOT NULL,
		selectedModel TEXT NOT NULL,
		multiLaunch INTEGER NOT NULL DEFAULT 0,
		installDependencies INTEGER NOT NULL,
		maxDuration REAL NOT NULL,
		turn INTEGER NOT NULL DEFAULT 1,
		status TEXT NOT NULL,
		progress INTEGER NOT NULL,
		error TEXT,
		interrupted INTEGER NOT NULL DEFAULT 0,
		branchName TEXT,
		linesAdded INTEGER,
		linesRemoved INTEGER,
		filesChanged INTEGER,
		createdAt TEXT NOT NULL,
		startedAt TEXT,
		updatedAt TEXT NOT NULL,
		completedAt TEXT
	) STRICT;
	CREATE INDEX tasksByStatus ON tasks (status, sequence);

	-- Each agent's work on a task has its own row, as a task can have several agents.
	CREATE TABLE executions (
		taskSequence INTEGER NOT NULL REFERENCES tasks (sequence),
		position INTEGER NOT NULL,
		agent TEXT NOT NULL,
		model TEXT NOT NULL,
		status TEXT NOT NULL,
		progress INTEGER NOT NULL,
		error TEXT,
		interrupted INTEGER NOT NULL,
		baseCommit TEXT,
		branchName TEXT,
		linesAdded INTEGER,
		linesRemoved INTEGER,
		filesChanged INTEGER,
		gitDiff TEXT,
		PRIMARY KEY (taskSequence, position)
	) STRICT, WITHOUT ROWID;

	CREATE TABLE logEntries (
		taskSequence INTEGER NOT NULL REFERENCES tasks (sequence),
		position INTEGER NOT NULL,
		type TEXT NOT NULL,
		contentType TEXT NOT NULL,
		message TEXT NOT NULL,
		timestamp TEXT NOT NULL,
		agent TEXT NOT NULL,
		step TEXT NOT NULL,
		PRIMARY KEY (taskSequence, position)
	) STRICT, WITHOUT ROWID;

	CREATE TABLE namedFolders (
		folder TEXT PRIMARY KEY,
		namedAt TEXT NOT NULL
	) STRICT, WITHOUT ROWID;
`;

/** The SQL that brings a file of an earlier version to the next one, by the earlier version. */
export const UPGRADES: Readonly<Record<number, string>> = {
	// The user's consents for a repository. Their hosts are a list in JSON.
	1: `
		CREATE TABLE consents (
			folder TEXT NOT NULL,
			kind TEXT NOT NULL,
			hosts TEXT NOT NULL,
			allowsScripts INTEGER NOT NULL,
			allowedAt TEXT NOT NULL,
			PRIMARY KEY (folder, kind)
		) STRICT, WITHOUT ROWID;
		ALTER TABLE executions ADD COLUMN sandboxed INTEGER;
		ALTER TABLE executions ADD COLUMN inputTokens INTEGER;
		ALTER TABLE executions ADD COLUMN outputTokens INTEGER;
		ALTER TABLE executions ADD COLUMN cost REAL;
		ALTER TABLE executions ADD COLUMN hasWork INTEGER NOT NULL DEFAULT 0`,
	// The reason why there was no sandbox when the user allowed running without one. Without it, nobody knows what an
	// earlier answer was about, so the user is asked again.
	2: `
		ALTER TABLE consents ADD COLUMN problem TEXT;
		DELETE FROM consents WHERE kind = 'unsandboxed';
		ALTER TABLE executions ADD COLUMN tests TEXT;
		ALTER TABLE executions ADD COLUMN testFilesChanged INTEGER`,
	// The sums of the model calls of tasks (modelUseStore.ts). Earlier files have only the sums of the last turn, without
	// the number of calls or the provider.
	3: `
		CREATE TABLE modelUse (
			taskSequence INTEGER NOT NULL REFERENCES tasks (sequence),
			position INTEGER NOT NULL,
			turn INTEGER NOT NULL,
			month TEXT NOT NULL,
			agent TEXT NOT NULL,
			model TEXT NOT NULL,
			-- Empty where nobody served, or nobody knows who did.
			provider TEXT NOT NULL,
			-- Calls without a price have rows of their own, so that no sum of others passes for complete.
			isPriced INTEGER NOT NULL,
			calls INTEGER NOT NULL,
			failedCalls INTEGER NOT NULL,
			estimatedCalls INTEGER NOT NULL,
			inputTokens INTEGER NOT NULL,
			outputTokens INTEGER NOT NULL,
			cost REAL,
			PRIMARY KEY (taskSequence, position, turn, month, agent, model, provider, isPriced)
		) STRICT, WITHOUT ROWID;
		INSERT INTO modelUse
			SELECT taskSequence, position, turn, strftime('%Y-%m', coalesce(completedAt, updatedAt), 'localtime'), agent, model,
				'', cost IS NOT NULL, 0, 0, 0, inputTokens, outputTokens, cost
			FROM executions JOIN tasks ON sequence = taskSequence
			WHERE inputTokens + outputTokens > 0;
		ALTER TABLE executions DROP COLUMN inputTokens;
		ALTER TABLE executions DROP COLUMN outputTokens;
		ALTER TABLE executions DROP COLUMN cost;
		ALTER TABLE executions ADD COLUMN maxCost REAL`,
	// A JSON list of the hosts that installations of dependencies failed without.
	4: "ALTER TABLE consents ADD COLUMN missingHosts TEXT NOT NULL DEFAULT '[]'",
	// A JSON list of the names of the MCP servers that came with a task. Nothing else of them is stored.
	5: "ALTER TABLE tasks ADD COLUMN mcpServers TEXT NOT NULL DEFAULT '[]'",
	// The steps of tasks (stepStore.ts), and the step that the last follow-up has begun with.
	6: `
		CREATE TABLE steps (
			taskSequence INTEGER NOT NULL REFERENCES tasks (sequence),
			number INTEGER NOT NULL,
			position INTEGER NOT NULL,
			-- An object in JSON.
			facts TEXT NOT NULL,
			PRIMARY KEY (taskSequence, number)
		) STRICT, WITHOUT ROWID;
		ALTER TABLE tasks ADD COLUMN fromStep INTEGER`,
	// An object in JSON (contract/compositions.ts), for an execution that composes the work of others.
	7: 'ALTER TABLE executions ADD COLUMN composition TEXT',
};
