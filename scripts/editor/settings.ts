/** Settings for an editor that is quiet and makes no calls to the network; everything else is at its default. */
const servedSettings: Record<string, unknown> = {
	'extensions.autoCheckUpdates': false,
	'extensions.autoUpdate': 'off',
	'extensions.ignoreRecommendations': true,
	'telemetry.telemetryLevel': 'off',
	'update.mode': 'none',
	'update.showReleaseNotes': false,
	'workbench.enableExperiments': false,
	'workbench.startupEditor': 'none',
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** The initial settings of `npm start`; afterwards they are the user's. */
export const firstSettings: Record<string, unknown> = {
	...servedSettings,
	// The folder was named to the launcher or is its own sample, and without trust, little can be tried in it.
	'security.workspace.trust.enabled': false,
};

/** The settings of every test run. With them, nothing moves, asks or waits by itself. */
export const testSettings: Record<string, unknown> = {
	...servedSettings,
	'files.autoSave': 'off',
	'git.autofetch': false,
	'git.openRepositoryInParentFolders': 'never',
	'npm.autoDetect': 'off',
	'errand.chat.titles': false,
	'remote.autoForwardPorts': false,
	'security.workspace.trust.enabled': false,
	'task.autoDetect': 'off',
	'workbench.localHistory.enabled': false,
	'workbench.reduceMotion': 'on',
	'workbench.tips.enabled': false,
};
