/** The SQL that migrates the schema to each version from the previous one. Existing entries must never be changed. */
export const MIGRATIONS: readonly string[] = [
	`
	CREATE TABLE tasks (
		sequence INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		prompt TEXT NOT NULL,
		repoUrl TEXT NOT NULL,
		selectedBranch TEXT NOT NULL,
		selectedAgent TEXT NOT NULL,
		selectedModel TEXT NOT NULL,
		installDependencies INTEGER NOT NULL,
		maxDuration REAL NOT NULL,
		status TEXT NOT NULL,
		progress INTEGER NOT NULL,
		error TEXT,
		branchName TEXT,
		linesAdded INTEGER,
		linesRemoved INTEGER,
		filesChanged INTEGER,
		createdAt TEXT NOT NULL,
		updatedAt TEXT NOT NULL,
		completedAt TEXT
	) STRICT;
	CREATE INDEX tasksByStatus ON tasks (status, sequence);
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
	`,
	// Each agent's work on a task has its own row, as a task can have several agents. A result in the first version's
	// table is complete, but the commit where its branch began is unknown.
	`
	ALTER TABLE tasks ADD COLUMN multiLaunch INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE tasks ADD COLUMN currentPrompt TEXT;
	ALTER TABLE tasks ADD COLUMN turn INTEGER NOT NULL DEFAULT 1;
	ALTER TABLE tasks ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE tasks ADD COLUMN startedAt TEXT;
	UPDATE tasks SET status = 'completed', progress = 100, completedAt = updatedAt
		WHERE status IN ('pending', 'processing', 'saving') AND filesChanged IS NOT NULL;
	UPDATE tasks SET interrupted = 1 WHERE status = 'error' AND error LIKE 'Interrupted:%';
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
	INSERT INTO executions
		SELECT sequence, 0, selectedAgent, selectedModel, status, progress, error, interrupted, NULL, branchName,
			linesAdded, linesRemoved, filesChanged, NULL
		FROM tasks;
	CREATE TABLE namedFolders (
		folder TEXT PRIMARY KEY,
		namedAt TEXT NOT NULL
	) STRICT, WITHOUT ROWID;
	`,
];
