/** The version of the schema, which is stored in the file (`PRAGMA user_version`); 0 stands for a new file. */
export const SCHEMA_VERSION = 1;

/** The SQL that creates the schema. */
export const SCHEMA = `
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
