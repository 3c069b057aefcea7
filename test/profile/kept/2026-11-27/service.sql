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
		sandboxed INTEGER,
		maxCost REAL,
		hasWork INTEGER NOT NULL DEFAULT 0,
		tests TEXT,
		testFilesChanged INTEGER,
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
CREATE TABLE consents (
		folder TEXT NOT NULL,
		kind TEXT NOT NULL,
		-- A list in JSON.
		hosts TEXT NOT NULL,
		allowsScripts INTEGER NOT NULL,
		allowedAt TEXT NOT NULL, problem TEXT,
		PRIMARY KEY (folder, kind)
	) STRICT, WITHOUT ROWID;
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
CREATE TABLE namedFolders (
		folder TEXT PRIMARY KEY,
		namedAt TEXT NOT NULL
	) STRICT, WITHOUT ROWID;
INSERT INTO tasks VALUES (1, 'ba602880-7ab8-416f-86c1-1ff9f3debb64', 'Keep the stock from going below zero', NULL, '{{origin}}', 'main', 'errand', 'coder', 0, 0, 1800.0, 1, 'completed', 100, NULL, 0, 'errand/keep-the-stock-from-going-below-zero-ba602880', 2, 1, 2, '2026-11-27T05:35:22.305Z', '2026-11-27T05:35:22.308Z', '2026-11-27T05:35:23.613Z', '2026-11-27T05:35:23.613Z');
INSERT INTO tasks VALUES (2, 'a07c4559-5059-40bc-87c0-3fc045ab20b7', 'Try what cannot work /demo fail', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'error', 20, 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', 0, NULL, NULL, NULL, NULL, '2026-11-27T05:35:27.929Z', '2026-11-27T05:35:27.931Z', '2026-11-27T05:35:28.691Z', '2026-11-27T05:35:28.691Z');
INSERT INTO tasks VALUES (3, 'fe11c35f-7367-40e2-acbb-e5ca0bb38b40', 'Count the files once more', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'completed', 100, NULL, 0, 'errand/count-the-files-once-more-fe11c35f', 16, 0, 1, '2026-11-27T05:35:30.045Z', '2026-11-27T05:35:30.047Z', '2026-11-27T05:35:31.577Z', '2026-11-27T05:35:31.577Z');
INSERT INTO tasks VALUES (4, '99f993d9-61ce-42f0-9a09-86d6eb3c2384', 'Begin what is stopped halfway /demo slow', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'stopped', 20, NULL, 0, NULL, NULL, NULL, NULL, '2026-11-27T05:35:35.811Z', '2026-11-27T05:35:35.816Z', '2026-11-27T05:35:37.144Z', '2026-11-27T05:35:37.144Z');
INSERT INTO tasks VALUES (5, '33abf248-1100-4cc6-91dc-a5ef65a0ef8c', 'Begin what a crash interrupts /demo slow', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'error', 20, 'Interrupted: the local service stopped while the task was running.', 1, NULL, NULL, NULL, NULL, '2026-11-27T05:35:38.205Z', '2026-11-27T05:35:38.208Z', '2026-11-27T05:35:39.672Z', '2026-11-27T05:35:39.672Z');
INSERT INTO tasks VALUES (6, 'a47a6d15-9e42-4ba6-8d1a-46c92c047142', 'Begin what nobody sees the end of /demo slow', NULL, '{{origin}}', 'errand-scratch-db0cebcf4473', 'demo', 'demo', 0, 0, 1800.0, 1, 'processing', 20, NULL, 0, NULL, NULL, NULL, NULL, '2026-11-27T05:35:41.566Z', '2026-11-27T05:35:41.568Z', '2026-11-27T05:35:41.735Z', NULL);
INSERT INTO executions VALUES (1, 0, 'errand', 'coder', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/keep-the-stock-from-going-below-zero-ba602880', 2, 1, 2, NULL, 1, NULL, 0, NULL, 0);
INSERT INTO executions VALUES (2, 0, 'demo', 'demo', 'error', 20, 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO executions VALUES (3, 0, 'demo', 'demo', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/count-the-files-once-more-fe11c35f', 16, 0, 1, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO executions VALUES (4, 0, 'demo', 'demo', 'stopped', 20, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO executions VALUES (5, 0, 'demo', 'demo', 'error', 20, 'Interrupted: the local service stopped while the task was running.', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO executions VALUES (6, 0, 'demo', 'demo', 'processing', 20, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL);
INSERT INTO logEntries VALUES (1, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-27T05:35:22.308Z', 'errand', 'git_cloning');
INSERT INTO logEntries VALUES (1, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-27T05:35:22.521Z', 'errand', 'git_cloned');
INSERT INTO logEntries VALUES (1, 2, 'info', 'system', 'Starting agent "errand" in a sandbox.', '2026-11-27T05:35:22.616Z', 'errand', 'agent_executing');
INSERT INTO logEntries VALUES (1, 3, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-27T05:35:23.042Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 4, 'info', 'plain-text', 'Edit src/stock.ts', '2026-11-27T05:35:23.059Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 5, 'info', 'ansi', 'src/stock.ts
[31m- 	amounts.set(id, left - 1);[39m
[32m+ 	amounts.set(id, Math.max(0, left - 1));[39m', '2026-11-27T05:35:23.062Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 6, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-27T05:35:23.075Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 7, 'info', 'plain-text', 'Write STOCK.md', '2026-11-27T05:35:23.081Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 8, 'info', 'ansi', 'STOCK.md
[32m+ No stock is below zero.[39m', '2026-11-27T05:35:23.084Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 9, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-27T05:35:23.090Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 10, 'info', 'agentResponse', 'The stock stays at zero.', '2026-11-27T05:35:23.097Z', 'errand', 'agent_message');
INSERT INTO logEntries VALUES (1, 11, 'info', 'system', 'The models have cost US$ 0.0135:
coder by workshop: 3 calls, 3000 tokens in, 300 out, US$ 0.0135.', '2026-11-27T05:35:23.145Z', 'errand', 'agent_cost');
INSERT INTO logEntries VALUES (1, 12, 'success', 'system', 'Committed c028e22cb2: +2 −1 in 2 files.', '2026-11-27T05:35:23.226Z', 'errand', 'git_committed');
INSERT INTO logEntries VALUES (1, 13, 'info', 'system', 'Running the tests once more: "npm test", as package.json says where the branch began…', '2026-11-27T05:35:23.295Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 14, 'info', 'plain-text', '> acme-widgets@0.2.0 test', '2026-11-27T05:35:23.504Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 15, 'info', 'plain-text', '> node --test', '2026-11-27T05:35:23.504Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 16, 'info', 'plain-text', 'TAP version 13', '2026-11-27T05:35:23.542Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 17, 'info', 'plain-text', '1..0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 18, 'info', 'plain-text', '# tests 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 19, 'info', 'plain-text', '# suites 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 20, 'info', 'plain-text', '# pass 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 21, 'info', 'plain-text', '# fail 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 22, 'info', 'plain-text', '# cancelled 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 23, 'info', 'plain-text', '# skipped 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 24, 'info', 'plain-text', '# todo 0', '2026-11-27T05:35:23.544Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 25, 'info', 'plain-text', '# duration_ms 4.19148', '2026-11-27T05:35:23.545Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 26, 'warning', 'system', '"npm test" ran no test, so nothing is known of the tests.', '2026-11-27T05:35:23.604Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 27, 'success', 'system', 'The branch errand/keep-the-stock-from-going-below-zero-ba602880 is in {{origin}}.', '2026-11-27T05:35:23.613Z', 'errand', 'git_pushed');
INSERT INTO logEntries VALUES (2, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-27T05:35:27.931Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (2, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-27T05:35:28.036Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (2, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-27T05:35:28.040Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (2, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-27T05:35:28.206Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-27T05:35:28.297Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 5, 'info', 'agentResponse', 'Asked for: Try what cannot work /demo fail', '2026-11-27T05:35:28.389Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 6, 'info', 'agentResponse', 'Asked to fail, so it does.', '2026-11-27T05:35:28.482Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 7, 'error', 'system', 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', '2026-11-27T05:35:28.691Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (3, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-27T05:35:30.047Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (3, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-27T05:35:30.175Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (3, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-27T05:35:30.179Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (3, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-27T05:35:30.323Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-27T05:35:30.415Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 5, 'info', 'agentResponse', 'Asked for: Count the files once more', '2026-11-27T05:35:30.508Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 6, 'info', 'plain-text', '[>] Look at the files
[ ] Write a summary', '2026-11-27T05:35:30.599Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 7, 'info', 'agentResponse', 'Counting the files of the repository…', '2026-11-27T05:35:30.601Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 8, 'info', 'agentResponse', '  • .ts: 4', '2026-11-27T05:35:30.693Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 9, 'info', 'agentResponse', '  • .json: 1', '2026-11-27T05:35:30.785Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 10, 'info', 'agentResponse', '  • .md: 1', '2026-11-27T05:35:30.876Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 11, 'info', 'agentResponse', '  • other: 1', '2026-11-27T05:35:30.966Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 12, 'info', 'agentResponse', '7 files in all', '2026-11-27T05:35:31.058Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 13, 'info', 'plain-text', '[x] Look at the files
[>] Write a summary', '2026-11-27T05:35:31.149Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 14, 'info', 'agentResponse', 'Writing one new file at the top of the repository…', '2026-11-27T05:35:31.152Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 15, 'info', 'plain-text', 'Write errand-demo.md', '2026-11-27T05:35:31.241Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (3, 16, 'info', 'ansi', 'errand-demo.md
[32m+ # Errand demo[39m
[32m+ [39m
[32m+ This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.[39m
[32m+ [39m
[32m+ The prompt was:[39m
[32m+ [39m
[32m+     Count the files once more[39m
[32m+ [39m
[32m+ The repository had 7 files, by extension:[39m
[32m+ [39m
[32m+ | Extension | Files |[39m
[32m+ | --- | ---: |[39m
[32m+ | `.ts` | 4 |[39m
[32m+ | `.json` | 1 |[39m
[32m+ | `.md` | 1 |[39m
[32m+ | `other` | 1 |[39m', '2026-11-27T05:35:31.242Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (3, 17, 'info', 'agentResponse', '✓ Wrote errand-demo.md', '2026-11-27T05:35:31.242Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 18, 'info', 'plain-text', '[x] Look at the files
[x] Write a summary', '2026-11-27T05:35:31.332Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 19, 'info', 'agentResponse', 'Done.', '2026-11-27T05:35:31.334Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 20, 'success', 'system', 'Committed 81ccab8c13: +16 −0 in 1 file.', '2026-11-27T05:35:31.545Z', 'demo', 'git_committed');
INSERT INTO logEntries VALUES (3, 21, 'success', 'system', 'The branch errand/count-the-files-once-more-fe11c35f is in {{origin}}.', '2026-11-27T05:35:31.577Z', 'demo', 'git_pushed');
INSERT INTO logEntries VALUES (4, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-27T05:35:35.816Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (4, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-27T05:35:35.956Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (4, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-27T05:35:35.986Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (4, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-27T05:35:36.234Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-27T05:35:36.327Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 5, 'info', 'agentResponse', 'Asked for: Begin what is stopped halfway /demo slow', '2026-11-27T05:35:36.420Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 6, 'info', 'plain-text', '[>] Look at the files
[ ] Write a summary', '2026-11-27T05:35:36.513Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (4, 7, 'info', 'agentResponse', 'Working slowly, line 1 of 100', '2026-11-27T05:35:36.514Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 8, 'info', 'agentResponse', 'Working slowly, line 2 of 100', '2026-11-27T05:35:36.730Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 9, 'info', 'agentResponse', 'Working slowly, line 3 of 100', '2026-11-27T05:35:36.916Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 10, 'warning', 'system', 'Stopped by the user.', '2026-11-27T05:35:37.144Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (5, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-27T05:35:38.208Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (5, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-27T05:35:38.318Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (5, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-27T05:35:38.320Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (5, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-27T05:35:38.445Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-27T05:35:38.538Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 5, 'info', 'agentResponse', 'Asked for: Begin what a crash interrupts /demo slow', '2026-11-27T05:35:38.632Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 6, 'info', 'plain-text', '[>] Look at the files
[ ] Write a summary', '2026-11-27T05:35:38.725Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (5, 7, 'info', 'agentResponse', 'Working slowly, line 1 of 100', '2026-11-27T05:35:38.726Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 8, 'info', 'agentResponse', 'Working slowly, line 2 of 100', '2026-11-27T05:35:38.927Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 9, 'info', 'agentResponse', 'Working slowly, line 3 of 100', '2026-11-27T05:35:39.128Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 10, 'info', 'agentResponse', 'Working slowly, line 4 of 100', '2026-11-27T05:35:39.329Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (5, 11, 'error', 'system', 'Interrupted: the local service stopped while the task was running.', '2026-11-27T05:35:39.671Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (6, 0, 'info', 'system', 'Cloning errand-scratch-db0cebcf4473 of {{origin}}…', '2026-11-27T05:35:41.568Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (6, 1, 'success', 'system', 'Cloned at 76736566a1.', '2026-11-27T05:35:41.727Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (6, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-27T05:35:41.735Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (6, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-27T05:35:41.906Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-27T05:35:42.000Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 5, 'info', 'agentResponse', 'Asked for: Begin what nobody sees the end of /demo slow', '2026-11-27T05:35:42.092Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 6, 'info', 'plain-text', '[>] Look at the files
[ ] Write a summary', '2026-11-27T05:35:42.185Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (6, 7, 'info', 'agentResponse', 'Working slowly, line 1 of 100', '2026-11-27T05:35:42.186Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 8, 'info', 'agentResponse', 'Working slowly, line 2 of 100', '2026-11-27T05:35:42.396Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 9, 'info', 'agentResponse', 'Working slowly, line 3 of 100', '2026-11-27T05:35:42.597Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 10, 'info', 'agentResponse', 'Working slowly, line 4 of 100', '2026-11-27T05:35:42.798Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 11, 'info', 'agentResponse', 'Working slowly, line 5 of 100', '2026-11-27T05:35:42.999Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 12, 'info', 'agentResponse', 'Working slowly, line 6 of 100', '2026-11-27T05:35:43.202Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 13, 'info', 'agentResponse', 'Working slowly, line 7 of 100', '2026-11-27T05:35:43.403Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 14, 'info', 'agentResponse', 'Working slowly, line 8 of 100', '2026-11-27T05:35:43.603Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 15, 'info', 'agentResponse', 'Working slowly, line 9 of 100', '2026-11-27T05:35:43.804Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 16, 'info', 'agentResponse', 'Working slowly, line 10 of 100', '2026-11-27T05:35:44.004Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 17, 'info', 'agentResponse', 'Working slowly, line 11 of 100', '2026-11-27T05:35:44.207Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 18, 'info', 'agentResponse', 'Working slowly, line 12 of 100', '2026-11-27T05:35:44.410Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 19, 'info', 'agentResponse', 'Working slowly, line 13 of 100', '2026-11-27T05:35:44.613Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 20, 'info', 'agentResponse', 'Working slowly, line 14 of 100', '2026-11-27T05:35:44.811Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 21, 'info', 'agentResponse', 'Working slowly, line 15 of 100', '2026-11-27T05:35:45.017Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 22, 'info', 'agentResponse', 'Working slowly, line 16 of 100', '2026-11-27T05:35:45.217Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 23, 'info', 'agentResponse', 'Working slowly, line 17 of 100', '2026-11-27T05:35:45.429Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (6, 24, 'info', 'agentResponse', 'Working slowly, line 18 of 100', '2026-11-27T05:35:45.618Z', 'demo', 'agent_message');
INSERT INTO consents VALUES ('{{origin}}', 'dependencies', '["registry.example:443"]', 0, '2026-11-27T05:35:45.593Z', NULL);
INSERT INTO modelUse VALUES (1, 0, 1, '2026-11', 'errand', 'coder', 'workshop', 1, 3, 0, 0, 3000, 300, 0.013499999999999998);
INSERT INTO namedFolders VALUES ('{{origin}}', '2026-11-27T05:35:40.758Z');
INSERT INTO sqlite_sequence VALUES ('tasks', 6);
PRAGMA user_version = 4;
