const TEST_FILE =
	/(?:^|\/)(?:tests?|specs?|__tests__|__snapshots__)\/|(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|\.mocharc\.[^/]+|(?:jest|vitest|playwright|cypress|karma)\.conf(?:ig)?\.[^/]+)$|(?:^|\/)test_[^/]*$|[._-](?:test|spec)\.[^/]+$|_test\.[^/]+$|Tests?\.(?:java|kt|cs)$/;

/** Returns whether a file belongs to the tests, by the usual names. The path is relative to the top and has slashes. */
export function isTestFile(path: string): boolean {
	return TEST_FILE.test(path);
}
