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
	, mcpServers TEXT NOT NULL DEFAULT '[]', fromStep INTEGER) STRICT;
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
		testFilesChanged INTEGER, composition TEXT,
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
		allowedAt TEXT NOT NULL, problem TEXT, missingHosts TEXT NOT NULL DEFAULT '[]',
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
CREATE TABLE steps (
		taskSequence INTEGER NOT NULL REFERENCES tasks (sequence),
		number INTEGER NOT NULL,
		position INTEGER NOT NULL,
		-- An object in JSON.
		facts TEXT NOT NULL,
		PRIMARY KEY (taskSequence, number)
	) STRICT, WITHOUT ROWID;
CREATE TABLE namedFolders (
		folder TEXT PRIMARY KEY,
		namedAt TEXT NOT NULL
	) STRICT, WITHOUT ROWID;
INSERT INTO tasks VALUES (1, '45e7ef84-e8eb-4ac9-8eae-3b043d07fd9e', 'Keep the stock from going below zero', NULL, '{{origin}}', 'main', 'errand', 'coder', 0, 0, 1800.0, 1, 'completed', 100, NULL, 0, 'errand/keep-the-stock-from-going-below-zero-45e7ef84', 2, 1, 2, '2026-11-28T19:21:12.561Z', '2026-11-28T19:21:12.565Z', '2026-11-28T19:21:22.893Z', '2026-11-28T19:21:22.893Z', '["sums"]', NULL);
INSERT INTO tasks VALUES (2, '3ff47811-0dd5-4d54-a85b-55e3b2f609bf', 'Try what cannot work /demo fail', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'error', 20, 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', 0, NULL, NULL, NULL, NULL, '2026-11-28T19:21:42.705Z', '2026-11-28T19:21:42.710Z', '2026-11-28T19:21:45.738Z', '2026-11-28T19:21:45.738Z', '[]', NULL);
INSERT INTO tasks VALUES (3, 'd6e8a8f3-c181-48fe-853e-6cb24cf7756e', 'Write down what is in here', NULL, '{{origin}}', 'main', 'demo', 'demo', 1, 0, 1800.0, 1, 'completed', 100, NULL, 0, NULL, NULL, NULL, NULL, '2026-11-28T19:21:56.729Z', '2026-11-28T19:21:56.759Z', '2026-11-28T19:22:12.590Z', '2026-11-28T19:22:12.590Z', '[]', NULL);
INSERT INTO tasks VALUES (4, 'b69c0a79-474f-4088-b6cd-f95cee799905', 'Count the files once more', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'completed', 100, NULL, 0, 'errand/count-the-files-once-more-b69c0a79', 7, 0, 1, '2026-11-28T19:22:24.198Z', '2026-11-28T19:22:24.201Z', '2026-11-28T19:22:29.909Z', '2026-11-28T19:22:29.909Z', '[]', NULL);
INSERT INTO tasks VALUES (5, 'd71e7833-924a-4d05-8f6c-b95730685e0a', 'Begin what is stopped halfway /demo slow', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'stopped', 20, NULL, 0, NULL, NULL, NULL, NULL, '2026-11-28T19:22:37.643Z', '2026-11-28T19:22:37.815Z', '2026-11-28T19:22:39.382Z', '2026-11-28T19:22:39.382Z', '[]', NULL);
INSERT INTO tasks VALUES (6, '621731b3-7e9c-4740-8e77-5e417e8ad879', 'Begin what a crash interrupts /demo slow', NULL, '{{origin}}', 'main', 'demo', 'demo', 0, 0, 1800.0, 1, 'error', 10, 'Interrupted: the local service stopped while the task was running.', 1, NULL, NULL, NULL, NULL, '2026-11-28T19:22:42.938Z', '2026-11-28T19:22:43.049Z', '2026-11-28T19:22:45.240Z', '2026-11-28T19:22:45.240Z', '[]', NULL);
INSERT INTO tasks VALUES (7, 'aca1c992-666b-464f-9fe9-3356c45d4dc0', 'Begin what nobody sees the end of /demo slow', NULL, '{{origin}}', 'errand-scratch-0fcc41e6e7d2', 'demo', 'demo', 0, 0, 1800.0, 1, 'processing', 55, NULL, 0, NULL, NULL, NULL, NULL, '2026-11-28T19:22:51.290Z', '2026-11-28T19:22:51.298Z', '2026-11-28T19:22:52.182Z', NULL, '[]', NULL);
INSERT INTO executions VALUES (1, 0, 'errand', 'coder', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/keep-the-stock-from-going-below-zero-45e7ef84', 2, 1, 2, NULL, 1, NULL, 0, NULL, 0, NULL);
INSERT INTO executions VALUES (2, 0, 'demo', 'demo', 'error', 20, 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (3, 0, 'demo', 'demo', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/write-down-what-is-in-here-d6e8a8f3-1', 7, 0, 1, 'diff --git a/errand-demo.md b/errand-demo.md
new file mode 100644
index 0000000..adf7127
--- /dev/null
+++ b/errand-demo.md
@@ -0,0 +1,7 @@
+# Errand demo
+
+This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.
+
+The prompt was:
+
+    Write down what is in here
', NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (3, 1, 'demo-two', 'demo', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/write-down-what-is-in-here-d6e8a8f3-2', 7, 0, 1, 'diff --git a/errand-demo.md b/errand-demo.md
new file mode 100644
index 0000000..adf7127
--- /dev/null
+++ b/errand-demo.md
@@ -0,0 +1,7 @@
+# Errand demo
+
+This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.
+
+The prompt was:
+
+    Write down what is in here
', NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (3, 2, 'composition', '', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/write-down-what-is-in-here-d6e8a8f3-3', 7, 0, 1, 'diff --git a/errand-demo.md b/errand-demo.md
new file mode 100644
index 0000000..adf7127
--- /dev/null
+++ b/errand-demo.md
@@ -0,0 +1,7 @@
+# Errand demo
+
+This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.
+
+The prompt was:
+
+    Write down what is in here
', 1, NULL, 0, NULL, 0, '{"base":"1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb","results":[{"agent":0,"commit":"f891a7b050c8c1ef4eda1a6ff4cfb0fb4f18277d"},{"agent":1,"commit":"16865829499ae1b8922349a433f3399ce322c7e3"}],"files":[{"paths":["errand-demo.md"],"agents":[1]}]}');
INSERT INTO executions VALUES (4, 0, 'demo', 'demo', 'completed', 100, NULL, 0, '1c3b7598e1c0c65ba6d7e5bd0174086b8175a5fb', 'errand/count-the-files-once-more-b69c0a79', 7, 0, 1, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (5, 0, 'demo', 'demo', 'stopped', 20, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (6, 0, 'demo', 'demo', 'error', 10, 'Interrupted: the local service stopped while the task was running.', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO executions VALUES (7, 0, 'demo', 'demo', 'processing', 55, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO logEntries VALUES (1, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-28T19:21:12.565Z', 'errand', 'git_cloning');
INSERT INTO logEntries VALUES (1, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-28T19:21:12.970Z', 'errand', 'git_cloned');
INSERT INTO logEntries VALUES (1, 2, 'info', 'system', 'The agent can use these MCP servers: sums, in a sandbox of its own.', '2026-11-28T19:21:13.438Z', 'errand', 'agent_executing');
INSERT INTO logEntries VALUES (1, 3, 'info', 'system', 'Starting agent "errand" in a sandbox.', '2026-11-28T19:21:13.562Z', 'errand', 'agent_executing');
INSERT INTO logEntries VALUES (1, 4, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-28T19:21:17.655Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 5, 'info', 'plain-text', 'Edit src/stock.ts', '2026-11-28T19:21:17.731Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 6, 'info', 'ansi', 'src/stock.ts
[31m- 	amounts.set(id, left - 1);[39m
[32m+ 	amounts.set(id, Math.max(0, left - 1));[39m', '2026-11-28T19:21:17.731Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 7, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-28T19:21:17.795Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 8, 'info', 'plain-text', 'Write STOCK.md', '2026-11-28T19:21:17.810Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 9, 'info', 'ansi', 'STOCK.md
[32m+ No stock is below zero.[39m', '2026-11-28T19:21:17.810Z', 'errand', 'agent_tool');
INSERT INTO logEntries VALUES (1, 10, 'info', 'plain-text', 'coder by workshop: 1000 tokens in, 100 out, US$ 0.0045, 0.0 s.', '2026-11-28T19:21:17.924Z', 'errand', 'agent_model');
INSERT INTO logEntries VALUES (1, 11, 'info', 'agentResponse', 'The stock stays at zero.', '2026-11-28T19:21:18.028Z', 'errand', 'agent_message');
INSERT INTO logEntries VALUES (1, 12, 'info', 'system', 'The models have cost US$ 0.0135:
coder by workshop: 3 calls, 3000 tokens in, 300 out, US$ 0.0135.', '2026-11-28T19:21:18.389Z', 'errand', 'agent_cost');
INSERT INTO logEntries VALUES (1, 13, 'success', 'system', 'Committed 548388f266: +2 −1 in 2 files.', '2026-11-28T19:21:19.011Z', 'errand', 'git_committed');
INSERT INTO logEntries VALUES (1, 14, 'info', 'system', 'Running the tests once more: "npm test", as package.json says where the branch began…', '2026-11-28T19:21:19.797Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 15, 'info', 'plain-text', '> acme-widgets@0.2.0 test', '2026-11-28T19:21:21.836Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 16, 'info', 'plain-text', '> node --test', '2026-11-28T19:21:21.836Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 17, 'info', 'plain-text', 'TAP version 13', '2026-11-28T19:21:22.648Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 18, 'info', 'plain-text', '1..0', '2026-11-28T19:21:22.660Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 19, 'info', 'plain-text', '# tests 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 20, 'info', 'plain-text', '# suites 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 21, 'info', 'plain-text', '# pass 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 22, 'info', 'plain-text', '# fail 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 23, 'info', 'plain-text', '# cancelled 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 24, 'info', 'plain-text', '# skipped 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 25, 'info', 'plain-text', '# todo 0', '2026-11-28T19:21:22.661Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 26, 'info', 'plain-text', '# duration_ms 54.855383', '2026-11-28T19:21:22.663Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 27, 'warning', 'system', '"npm test" ran no test, so nothing is known of the tests.', '2026-11-28T19:21:22.879Z', 'errand', 'running_tests');
INSERT INTO logEntries VALUES (1, 28, 'success', 'system', 'The branch errand/keep-the-stock-from-going-below-zero-45e7ef84 is in {{origin}}.', '2026-11-28T19:21:22.892Z', 'errand', 'git_pushed');
INSERT INTO logEntries VALUES (2, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-28T19:21:42.711Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (2, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-28T19:21:43.396Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (2, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-28T19:21:43.972Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (2, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-28T19:21:44.870Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-28T19:21:44.970Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 5, 'info', 'plain-text', '[>] Read the prompt
[ ] Write a file about it', '2026-11-28T19:21:45.068Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (2, 6, 'info', 'agentResponse', 'Asked for: Try what cannot work /demo fail', '2026-11-28T19:21:45.077Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 7, 'info', 'agentResponse', 'Asked to fail, so it does.', '2026-11-28T19:21:45.170Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (2, 8, 'error', 'system', 'The agent answered with an error ("The demo agent was told to fail (/demo fail)"). Try again, or choose another agent. No branch was made.', '2026-11-28T19:21:45.738Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (3, 0, 'info', 'system', '[1] Cloning main of {{origin}}…', '2026-11-28T19:21:56.759Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (3, 1, 'info', 'system', '[2] Cloning main of {{origin}}…', '2026-11-28T19:21:56.819Z', 'demo-two', 'git_cloning');
INSERT INTO logEntries VALUES (3, 2, 'success', 'system', '[1] Cloned at 1c3b7598e1.', '2026-11-28T19:21:57.859Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (3, 3, 'info', 'system', '[1] Starting agent "demo".', '2026-11-28T19:21:58.642Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (3, 4, 'success', 'system', '[2] Cloned at 1c3b7598e1.', '2026-11-28T19:21:58.697Z', 'demo-two', 'git_cloned');
INSERT INTO logEntries VALUES (3, 5, 'info', 'system', '[2] Starting agent "demo-two".', '2026-11-28T19:21:58.940Z', 'demo-two', 'agent_executing');
INSERT INTO logEntries VALUES (3, 6, 'info', 'agentResponse', '[1] Errand demo agent', '2026-11-28T19:21:59.562Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 7, 'info', 'agentResponse', '[2] Errand demo agent', '2026-11-28T19:21:59.616Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 8, 'info', 'agentResponse', '[1] This is a demonstration: no language model takes part.', '2026-11-28T19:21:59.654Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 9, 'info', 'agentResponse', '[2] This is a demonstration: no language model takes part.', '2026-11-28T19:21:59.709Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 10, 'info', 'plain-text', '[1] [>] Read the prompt
[ ] Write a file about it', '2026-11-28T19:21:59.764Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 11, 'info', 'agentResponse', '[1] Asked for: Write down what is in here', '2026-11-28T19:21:59.775Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 12, 'info', 'plain-text', '[2] [>] Read the prompt
[ ] Write a file about it', '2026-11-28T19:21:59.808Z', 'demo-two', 'agent_plan');
INSERT INTO logEntries VALUES (3, 13, 'info', 'agentResponse', '[2] Asked for: Write down what is in here', '2026-11-28T19:21:59.809Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 14, 'info', 'plain-text', '[2] [x] Read the prompt
[>] Write a file about it', '2026-11-28T19:21:59.920Z', 'demo-two', 'agent_plan');
INSERT INTO logEntries VALUES (3, 15, 'info', 'agentResponse', '[2] Writing one new file at the top of the repository…', '2026-11-28T19:21:59.922Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 16, 'info', 'plain-text', '[1] [x] Read the prompt
[>] Write a file about it', '2026-11-28T19:21:59.923Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 17, 'info', 'agentResponse', '[1] Writing one new file at the top of the repository…', '2026-11-28T19:21:59.926Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 18, 'info', 'plain-text', '[2] Write errand-demo.md', '2026-11-28T19:22:00.002Z', 'demo-two', 'agent_tool');
INSERT INTO logEntries VALUES (3, 19, 'info', 'ansi', '[2] errand-demo.md
[32m+ # Errand demo[39m
[32m+ [39m
[32m+ This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.[39m
[32m+ [39m
[32m+ The prompt was:[39m
[32m+ [39m
[32m+     Write down what is in here[39m', '2026-11-28T19:22:00.018Z', 'demo-two', 'agent_tool');
INSERT INTO logEntries VALUES (3, 20, 'info', 'agentResponse', '[2] ✓ Wrote errand-demo.md', '2026-11-28T19:22:00.105Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 21, 'info', 'plain-text', '[2] [x] Read the prompt
[x] Write a file about it', '2026-11-28T19:22:00.105Z', 'demo-two', 'agent_plan');
INSERT INTO logEntries VALUES (3, 22, 'info', 'agentResponse', '[2] Done.', '2026-11-28T19:22:00.106Z', 'demo-two', 'agent_message');
INSERT INTO logEntries VALUES (3, 23, 'info', 'plain-text', '[1] Write errand-demo.md', '2026-11-28T19:22:00.105Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (3, 24, 'info', 'ansi', '[1] errand-demo.md
[32m+ # Errand demo[39m
[32m+ [39m
[32m+ This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.[39m
[32m+ [39m
[32m+ The prompt was:[39m
[32m+ [39m
[32m+     Write down what is in here[39m', '2026-11-28T19:22:00.107Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (3, 25, 'info', 'agentResponse', '[1] ✓ Wrote errand-demo.md', '2026-11-28T19:22:00.107Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 26, 'info', 'plain-text', '[1] [x] Read the prompt
[x] Write a file about it', '2026-11-28T19:22:00.157Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (3, 27, 'info', 'agentResponse', '[1] Done.', '2026-11-28T19:22:00.159Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (3, 28, 'success', 'system', '[1] Committed f891a7b050: +7 −0 in 1 file.', '2026-11-28T19:22:03.681Z', 'demo', 'git_committed');
INSERT INTO logEntries VALUES (3, 29, 'success', 'system', '[2] Committed 1686582949: +7 −0 in 1 file.', '2026-11-28T19:22:04.145Z', 'demo-two', 'git_committed');
INSERT INTO logEntries VALUES (3, 30, 'success', 'system', '[1] The branch errand/write-down-what-is-in-here-d6e8a8f3-1 is in {{origin}}.', '2026-11-28T19:22:04.493Z', 'demo', 'git_pushed');
INSERT INTO logEntries VALUES (3, 31, 'success', 'system', '[2] The branch errand/write-down-what-is-in-here-d6e8a8f3-2 is in {{origin}}.', '2026-11-28T19:22:04.660Z', 'demo-two', 'git_pushed');
INSERT INTO logEntries VALUES (3, 32, 'info', 'system', 'Asked to compose the work of several agents.', '2026-11-28T19:22:06.577Z', 'composition', 'task_continued');
INSERT INTO logEntries VALUES (3, 33, 'info', 'system', '[3] Cloning errand/write-down-what-is-in-here-d6e8a8f3-1 of {{origin}}…', '2026-11-28T19:22:06.585Z', 'composition', 'git_cloning');
INSERT INTO logEntries VALUES (3, 34, 'success', 'system', '[3] Cloned at 1c3b7598e1.', '2026-11-28T19:22:07.442Z', 'composition', 'git_cloned');
INSERT INTO logEntries VALUES (3, 35, 'success', 'system', '[3] Composed of the work of several agents:
demo-two (errand/write-down-what-is-in-here-d6e8a8f3-2): errand-demo.md', '2026-11-28T19:22:08.745Z', 'composition', 'agent_tool');
INSERT INTO logEntries VALUES (3, 36, 'success', 'system', '[3] Committed 0db5b1b397: +7 −0 in 1 file.', '2026-11-28T19:22:09.402Z', 'composition', 'git_committed');
INSERT INTO logEntries VALUES (3, 37, 'info', 'system', '[3] Running the tests once more: "npm test", as package.json says where the branch began…', '2026-11-28T19:22:09.902Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 38, 'info', 'plain-text', '[3] > acme-widgets@0.2.0 test', '2026-11-28T19:22:11.862Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 39, 'info', 'plain-text', '[3] > node --test', '2026-11-28T19:22:11.862Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 40, 'info', 'plain-text', '[3] TAP version 13', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 41, 'info', 'plain-text', '[3] 1..0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 42, 'info', 'plain-text', '[3] # tests 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 43, 'info', 'plain-text', '[3] # suites 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 44, 'info', 'plain-text', '[3] # pass 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 45, 'info', 'plain-text', '[3] # fail 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 46, 'info', 'plain-text', '[3] # cancelled 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 47, 'info', 'plain-text', '[3] # skipped 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 48, 'info', 'plain-text', '[3] # todo 0', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 49, 'info', 'plain-text', '[3] # duration_ms 7.497271', '2026-11-28T19:22:12.187Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 50, 'warning', 'system', '[3] "npm test" ran no test, so nothing is known of the tests.', '2026-11-28T19:22:12.281Z', 'composition', 'running_tests');
INSERT INTO logEntries VALUES (3, 51, 'success', 'system', '[3] The branch errand/write-down-what-is-in-here-d6e8a8f3-3 is in {{origin}}.', '2026-11-28T19:22:12.590Z', 'composition', 'git_pushed');
INSERT INTO logEntries VALUES (4, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-28T19:22:24.201Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (4, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-28T19:22:24.887Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (4, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-28T19:22:25.895Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (4, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-28T19:22:26.532Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-28T19:22:26.629Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 5, 'info', 'plain-text', '[>] Read the prompt
[ ] Write a file about it', '2026-11-28T19:22:26.729Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (4, 6, 'info', 'agentResponse', 'Asked for: Count the files once more', '2026-11-28T19:22:26.730Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 7, 'info', 'plain-text', '[x] Read the prompt
[>] Write a file about it', '2026-11-28T19:22:26.817Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (4, 8, 'info', 'agentResponse', 'Writing one new file at the top of the repository…', '2026-11-28T19:22:26.821Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 9, 'info', 'plain-text', 'Write errand-demo.md', '2026-11-28T19:22:26.923Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (4, 10, 'info', 'ansi', 'errand-demo.md
[32m+ # Errand demo[39m
[32m+ [39m
[32m+ This file was written by Errand''s demo agent, to show the way of a task from prompt to branch. No language model took part.[39m
[32m+ [39m
[32m+ The prompt was:[39m
[32m+ [39m
[32m+     Count the files once more[39m', '2026-11-28T19:22:26.934Z', 'demo', 'agent_tool');
INSERT INTO logEntries VALUES (4, 11, 'info', 'agentResponse', '✓ Wrote errand-demo.md', '2026-11-28T19:22:26.943Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 12, 'info', 'plain-text', '[x] Read the prompt
[x] Write a file about it', '2026-11-28T19:22:27.025Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (4, 13, 'info', 'agentResponse', 'Done.', '2026-11-28T19:22:27.026Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (4, 14, 'success', 'system', 'Committed fb35abfe72: +7 −0 in 1 file.', '2026-11-28T19:22:28.765Z', 'demo', 'git_committed');
INSERT INTO logEntries VALUES (4, 15, 'success', 'system', 'The branch errand/count-the-files-once-more-b69c0a79 is in {{origin}}.', '2026-11-28T19:22:29.908Z', 'demo', 'git_pushed');
INSERT INTO logEntries VALUES (5, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-28T19:22:37.815Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (5, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-28T19:22:38.848Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (5, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-28T19:22:39.294Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (5, 3, 'warning', 'system', 'Stopped by the user.', '2026-11-28T19:22:39.382Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (6, 0, 'info', 'system', 'Cloning main of {{origin}}…', '2026-11-28T19:22:43.049Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (6, 1, 'success', 'system', 'Cloned at 1c3b7598e1.', '2026-11-28T19:22:43.730Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (6, 2, 'error', 'system', 'Interrupted: the local service stopped while the task was running.', '2026-11-28T19:22:45.239Z', 'demo', 'task_ended');
INSERT INTO logEntries VALUES (7, 0, 'info', 'system', 'Cloning errand-scratch-0fcc41e6e7d2 of {{origin}}…', '2026-11-28T19:22:51.298Z', 'demo', 'git_cloning');
INSERT INTO logEntries VALUES (7, 1, 'success', 'system', 'Cloned at 72ac883bcb.', '2026-11-28T19:22:51.668Z', 'demo', 'git_cloned');
INSERT INTO logEntries VALUES (7, 2, 'info', 'system', 'Starting agent "demo".', '2026-11-28T19:22:51.729Z', 'demo', 'agent_executing');
INSERT INTO logEntries VALUES (7, 3, 'info', 'agentResponse', 'Errand demo agent', '2026-11-28T19:22:51.910Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 4, 'info', 'agentResponse', 'This is a demonstration: no language model takes part.', '2026-11-28T19:22:51.996Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 5, 'info', 'plain-text', '[>] Read the prompt
[ ] Write a file about it', '2026-11-28T19:22:52.091Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (7, 6, 'info', 'agentResponse', 'Asked for: Begin what nobody sees the end of /demo slow', '2026-11-28T19:22:52.092Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 7, 'info', 'plain-text', '[x] Read the prompt
[>] Write a file about it', '2026-11-28T19:22:52.182Z', 'demo', 'agent_plan');
INSERT INTO logEntries VALUES (7, 8, 'info', 'agentResponse', 'Working slowly, line 1 of 100', '2026-11-28T19:22:52.183Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 9, 'info', 'agentResponse', 'Working slowly, line 2 of 100', '2026-11-28T19:22:52.383Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 10, 'info', 'agentResponse', 'Working slowly, line 3 of 100', '2026-11-28T19:22:52.584Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 11, 'info', 'agentResponse', 'Working slowly, line 4 of 100', '2026-11-28T19:22:52.808Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 12, 'info', 'agentResponse', 'Working slowly, line 5 of 100', '2026-11-28T19:22:53.011Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 13, 'info', 'agentResponse', 'Working slowly, line 6 of 100', '2026-11-28T19:22:53.212Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 14, 'info', 'agentResponse', 'Working slowly, line 7 of 100', '2026-11-28T19:22:53.415Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 15, 'info', 'agentResponse', 'Working slowly, line 8 of 100', '2026-11-28T19:22:53.618Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 16, 'info', 'agentResponse', 'Working slowly, line 9 of 100', '2026-11-28T19:22:53.821Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 17, 'info', 'agentResponse', 'Working slowly, line 10 of 100', '2026-11-28T19:22:54.025Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 18, 'info', 'agentResponse', 'Working slowly, line 11 of 100', '2026-11-28T19:22:54.226Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 19, 'info', 'agentResponse', 'Working slowly, line 12 of 100', '2026-11-28T19:22:54.427Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 20, 'info', 'agentResponse', 'Working slowly, line 13 of 100', '2026-11-28T19:22:54.627Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 21, 'info', 'agentResponse', 'Working slowly, line 14 of 100', '2026-11-28T19:22:54.829Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 22, 'info', 'agentResponse', 'Working slowly, line 15 of 100', '2026-11-28T19:22:55.030Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 23, 'info', 'agentResponse', 'Working slowly, line 16 of 100', '2026-11-28T19:22:55.231Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 24, 'info', 'agentResponse', 'Working slowly, line 17 of 100', '2026-11-28T19:22:55.433Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 25, 'info', 'agentResponse', 'Working slowly, line 18 of 100', '2026-11-28T19:22:55.641Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 26, 'info', 'agentResponse', 'Working slowly, line 19 of 100', '2026-11-28T19:22:55.837Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 27, 'info', 'agentResponse', 'Working slowly, line 20 of 100', '2026-11-28T19:22:56.037Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 28, 'info', 'agentResponse', 'Working slowly, line 21 of 100', '2026-11-28T19:22:56.238Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 29, 'info', 'agentResponse', 'Working slowly, line 22 of 100', '2026-11-28T19:22:56.438Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 30, 'info', 'agentResponse', 'Working slowly, line 23 of 100', '2026-11-28T19:22:56.697Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 31, 'info', 'agentResponse', 'Working slowly, line 24 of 100', '2026-11-28T19:22:56.897Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 32, 'info', 'agentResponse', 'Working slowly, line 25 of 100', '2026-11-28T19:22:57.099Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 33, 'info', 'agentResponse', 'Working slowly, line 26 of 100', '2026-11-28T19:22:57.299Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 34, 'info', 'agentResponse', 'Working slowly, line 27 of 100', '2026-11-28T19:22:57.504Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 35, 'info', 'agentResponse', 'Working slowly, line 28 of 100', '2026-11-28T19:22:57.709Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 36, 'info', 'agentResponse', 'Working slowly, line 29 of 100', '2026-11-28T19:22:57.922Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 37, 'info', 'agentResponse', 'Working slowly, line 30 of 100', '2026-11-28T19:22:58.143Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 38, 'info', 'agentResponse', 'Working slowly, line 31 of 100', '2026-11-28T19:22:58.347Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 39, 'info', 'agentResponse', 'Working slowly, line 32 of 100', '2026-11-28T19:22:58.547Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 40, 'info', 'agentResponse', 'Working slowly, line 33 of 100', '2026-11-28T19:22:58.748Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 41, 'info', 'agentResponse', 'Working slowly, line 34 of 100', '2026-11-28T19:22:58.947Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 42, 'info', 'agentResponse', 'Working slowly, line 35 of 100', '2026-11-28T19:22:59.150Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 43, 'info', 'agentResponse', 'Working slowly, line 36 of 100', '2026-11-28T19:22:59.356Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 44, 'info', 'agentResponse', 'Working slowly, line 37 of 100', '2026-11-28T19:22:59.554Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 45, 'info', 'agentResponse', 'Working slowly, line 38 of 100', '2026-11-28T19:22:59.765Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 46, 'info', 'agentResponse', 'Working slowly, line 39 of 100', '2026-11-28T19:22:59.965Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 47, 'info', 'agentResponse', 'Working slowly, line 40 of 100', '2026-11-28T19:23:00.166Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 48, 'info', 'agentResponse', 'Working slowly, line 41 of 100', '2026-11-28T19:23:00.367Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 49, 'info', 'agentResponse', 'Working slowly, line 42 of 100', '2026-11-28T19:23:00.566Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 50, 'info', 'agentResponse', 'Working slowly, line 43 of 100', '2026-11-28T19:23:00.768Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 51, 'info', 'agentResponse', 'Working slowly, line 44 of 100', '2026-11-28T19:23:01.024Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 52, 'info', 'agentResponse', 'Working slowly, line 45 of 100', '2026-11-28T19:23:01.227Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 53, 'info', 'agentResponse', 'Working slowly, line 46 of 100', '2026-11-28T19:23:01.434Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 54, 'info', 'agentResponse', 'Working slowly, line 47 of 100', '2026-11-28T19:23:01.644Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 55, 'info', 'agentResponse', 'Working slowly, line 48 of 100', '2026-11-28T19:23:01.858Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 56, 'info', 'agentResponse', 'Working slowly, line 49 of 100', '2026-11-28T19:23:02.058Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 57, 'info', 'agentResponse', 'Working slowly, line 50 of 100', '2026-11-28T19:23:02.260Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 58, 'info', 'agentResponse', 'Working slowly, line 51 of 100', '2026-11-28T19:23:02.459Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 59, 'info', 'agentResponse', 'Working slowly, line 52 of 100', '2026-11-28T19:23:02.673Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 60, 'info', 'agentResponse', 'Working slowly, line 53 of 100', '2026-11-28T19:23:02.867Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 61, 'info', 'agentResponse', 'Working slowly, line 54 of 100', '2026-11-28T19:23:03.066Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 62, 'info', 'agentResponse', 'Working slowly, line 55 of 100', '2026-11-28T19:23:03.267Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 63, 'info', 'agentResponse', 'Working slowly, line 56 of 100', '2026-11-28T19:23:03.468Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 64, 'info', 'agentResponse', 'Working slowly, line 57 of 100', '2026-11-28T19:23:03.681Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 65, 'info', 'agentResponse', 'Working slowly, line 58 of 100', '2026-11-28T19:23:03.872Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 66, 'info', 'agentResponse', 'Working slowly, line 59 of 100', '2026-11-28T19:23:04.081Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 67, 'info', 'agentResponse', 'Working slowly, line 60 of 100', '2026-11-28T19:23:04.284Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 68, 'info', 'agentResponse', 'Working slowly, line 61 of 100', '2026-11-28T19:23:04.566Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 69, 'info', 'agentResponse', 'Working slowly, line 62 of 100', '2026-11-28T19:23:04.682Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 70, 'info', 'agentResponse', 'Working slowly, line 63 of 100', '2026-11-28T19:23:04.883Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 71, 'info', 'agentResponse', 'Working slowly, line 64 of 100', '2026-11-28T19:23:05.084Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 72, 'info', 'agentResponse', 'Working slowly, line 65 of 100', '2026-11-28T19:23:05.377Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 73, 'info', 'agentResponse', 'Working slowly, line 66 of 100', '2026-11-28T19:23:05.609Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 74, 'info', 'agentResponse', 'Working slowly, line 67 of 100', '2026-11-28T19:23:05.804Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 75, 'info', 'agentResponse', 'Working slowly, line 68 of 100', '2026-11-28T19:23:06.005Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 76, 'info', 'agentResponse', 'Working slowly, line 69 of 100', '2026-11-28T19:23:06.206Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 77, 'info', 'agentResponse', 'Working slowly, line 70 of 100', '2026-11-28T19:23:06.433Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 78, 'info', 'agentResponse', 'Working slowly, line 71 of 100', '2026-11-28T19:23:06.608Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 79, 'info', 'agentResponse', 'Working slowly, line 72 of 100', '2026-11-28T19:23:06.810Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 80, 'info', 'agentResponse', 'Working slowly, line 73 of 100', '2026-11-28T19:23:07.011Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 81, 'info', 'agentResponse', 'Working slowly, line 74 of 100', '2026-11-28T19:23:07.225Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 82, 'info', 'agentResponse', 'Working slowly, line 75 of 100', '2026-11-28T19:23:07.425Z', 'demo', 'agent_message');
INSERT INTO logEntries VALUES (7, 83, 'info', 'agentResponse', 'Working slowly, line 76 of 100', '2026-11-28T19:23:07.627Z', 'demo', 'agent_message');
INSERT INTO consents VALUES ('{{origin}}', 'dependencies', '["registry.example:443"]', 0, '2026-11-28T19:23:07.178Z', NULL, '[]');
INSERT INTO modelUse VALUES (1, 0, 1, '2026-11', 'errand', 'coder', 'workshop', 1, 3, 0, 0, 3000, 300, 0.013499999999999998);
INSERT INTO steps VALUES (1, 0, 0, '{"tool":"edit","title":"Edit src/stock.ts","tree":"e27db34e06f248fafdeab0ef4cc9ddbd6313f0e6","files":[{"path":"src/stock.ts","status":"modified"}],"fileCount":1,"linesAdded":1,"linesRemoved":1,"approximate":false,"step":5,"agent":0}');
INSERT INTO steps VALUES (1, 1, 0, '{"tool":"edit","title":"Write STOCK.md","tree":"3bc90767e5398b83755443afc46782801ac80a1e","files":[{"path":"STOCK.md","status":"added"}],"fileCount":1,"linesAdded":1,"linesRemoved":0,"approximate":false,"step":8,"agent":0}');
INSERT INTO steps VALUES (3, 0, 2, '{"step":35,"agent":2,"tool":"edit","title":"Composed of the work of several agents: demo-two (errand/write-down-what-is-in-here-d6e8a8f3-2): errand-demo.md","tree":"0db5b1b397e9c818df807908e07f7c1058999095","files":[{"path":"errand-demo.md","status":"added"}],"fileCount":1,"linesAdded":7,"linesRemoved":0,"approximate":false}');
INSERT INTO namedFolders VALUES ('{{origin}}', '2026-11-28T19:22:49.001Z');
INSERT INTO sqlite_sequence VALUES ('tasks', 7);
PRAGMA user_version = 8;
