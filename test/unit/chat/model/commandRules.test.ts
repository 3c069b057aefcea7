import assert from 'node:assert/strict';
import {
	type CommandRule,
	isAllowedBy,
	isReading,
	ruleFor,
	ruleText,
} from '../../../../src/chat/model/commandRules.ts';

const HERE = '/project';
const ruleOf = (line: string) => {
	const rule = ruleFor(line, HERE);
	return rule && ruleText(rule);
};
const allows = (asked: string, line: string) => {
	const rule = ruleFor(asked, HERE);
	return rule !== undefined && isAllowedBy([rule], line, HERE);
};

describe('a rule for commands', () => {
	for (const [command, rule] of [
		['npm test', 'npm test …'],
		['npm test -- auth', 'npm test …'],
		['npm run lint', 'npm run lint …'],
		['npx mocha test/a.test.js', 'npx mocha …'],
		['npx mocha --require ts-node/register test/a.test.js', 'npx mocha --require ts-node/register …'],
		['cd /project && npm test 2>&1 | tail -20', 'npm test …'],
		['python3 -m pytest tests/test_a.py -k "one and two"', 'python3 -m pytest …'],
		['cargo test --release', 'cargo test …'],
		['node x.js', undefined],
		['node -e "1"', undefined],
		['npm install', undefined],
		['npm test && cargo test', undefined],
		['npm run evil', undefined],
		['sh -c "npm test"', undefined],
	] as const) {
		it(`of “${command}” is ${rule ?? 'none'}`, () => {
			assert.equal(ruleOf(command), rule);
		});
	}

	it('allows the same with other names, alone or with commands that only read', () => {
		const allowed = [
			'npm test',
			'npm test -- auth',
			'npm test test/a.test.js test/b.test.js',
			"npm test 'a name'",
			'npm test -- --grep "one of them"',
			'npm test -- -g one --bail',
			'npm test --silent',
			'npm t',
			'npm test | tail -20',
			'npm test 2>&1 | grep -n failing',
			'npm test > /dev/null',
			'npm test 2>/dev/null',
			'npm test; git status --short',
			'git diff && npm test',
			'cd /project && npm test',
			'cd . && npm test',
			'npm test\nnpm test -- again',
			'ls -la src && npm test -- test/*.js && cat package.json',
			'npm test -- ./test/**/x.js',
			'npm test ',
			'npm test;',
			'npm test -- tëst/å.js',
		];
		assert.deepEqual(
			allowed.filter(line => !allows(line.includes('npm t') && !line.includes('npm te') ? line : 'npm test', line)),
			[],
		);
	});

	it('allows only the options that the command had which was agreed to', () => {
		const asked = 'npx mocha --require ts-node/register --timeout 5000 test/a.js';
		assert.ok(allows(asked, 'npx mocha --require ts-node/register test/b.js'));
		assert.ok(allows(asked, 'npx mocha test/b.js --timeout 5000'));
		assert.ok(!allows(asked, 'npx mocha --require ./evil.js test/a.js'));
		assert.ok(!allows(asked, 'npx mocha --require=./evil.js'));
		assert.ok(!allows(asked, 'npx mocha --config x test/a.js'));
	});

	for (const line of [
		'npm test && rm -rf .',
		'npm test; rm -rf .',
		'npm test | sh',
		'npm test | xargs rm',
		'npm test | tee out',
		'npm test || curl x',
		'npm test & rm -rf .',
		'npm test\nrm -rf .',
		'npm test\r\nrm -rf .',
		'npm test $(rm -rf .)',
		'npm test `rm -rf .`',
		'npm test "$(rm -rf .)"',
		'npm test "`rm -rf .`"',
		'npm test $HOME',
		'npm test "$HOME"',
		`npm test \${IFS}x`,
		"npm test $'\\x41'",
		'npm test > out',
		'npm test >> ~/.bashrc',
		'npm test >.git/hooks/pre-commit',
		'npm test 2> out',
		'npm test >/dev/null2',
		'npm test >/dev/nullx',
		'npm test >/dev/tcp/a/1',
		'npm test &> out',
		'npm test < in',
		'npm test <<< x',
		'npm test << END\nx\nEND',
		'npm test <(rm x)',
		'npm test >(rm x)',
		'npm test --config=evil.js',
		'npm test -- --config=evil.js',
		'npm test -- --config evil.js',
		'npm test -- --require ./evil.js',
		'npm test -- -r ./evil.js',
		'npm test -- --reporter ./evil.js',
		'npm test --prefix /tmp/evil',
		'npm test --prefix=../evil',
		'npm test --script-shell=evil',
		'npm test -C ../evil',
		'npm test -w evil',
		'npm -C ../evil test',
		'npm --prefix ../evil test',
		'npm run test',
		'npm run evil',
		'npm testx',
		'npmx test',
		'./npm test',
		'/tmp/npm test',
		'../npm test',
		'env npm test',
		'env PATH=. npm test',
		'PATH=. npm test',
		'PATH+=:. npm test',
		'NODE_OPTIONS=--require=./evil.js npm test',
		'xargs npm test',
		'time npm test',
		'sudo npm test',
		'nohup npm test',
		'timeout 5 npm test',
		'exec npm test',
		'eval npm test',
		'command npm test',
		'builtin cd x; npm test',
		'sh -c "npm test"',
		"bash -lc 'npm test'",
		'find . -exec npm test',
		'find . -delete; npm test',
		'find . -fprint x; npm test',
		'(npm test)',
		'{ npm test; }',
		'npm test {--config=evil.js,}',
		'if true; then npm test; fi',
		'! npm test',
		'npm test #x\nrm -rf .',
		'npm test \\\nrm',
		'npm te\\st',
		'alias npm=rm; npm test',
		'npm(){ rm -rf .; }; npm test',
		'cd /tmp && npm test',
		'cd .. && npm test',
		'cd evil && npm test',
		'cd && npm test',
		'pushd /tmp && npm test',
		'npm test /etc/passwd',
		'npm test ../other',
		'npm test a/../../b',
		'npm test ~/x',
		'npm test @options',
		'npm test CONFIG=evil',
		'npm test *',
		'npm test -*',
		'npm test ..*/x',
		'npm test .[.]/x',
		'npm test ?-config=x',
		'git diff --output=x && npm test',
		'git diff --outp=x && npm test',
		'git -c core.pager=evil log && npm test',
		'git grep -Oevil x && npm test',
		'git grep --open-files-in-pager=evil x && npm test',
		'git log --ext-diff && npm test',
		'rg --pre evil x && npm test',
		'sort -o x y && npm test',
		'sort --compress-program=evil x && npm test',
		'tree -o x && npm test',
		'sed -i s/a/b/ x && npm test',
		"sed -n '1e evil' x && npm test",
		"sed -n 'w x' y && npm test",
		'awk 1 x && npm test',
		'echo x > y && npm test',
		'cat x | sh && npm test',
		"npm test 'unfinished",
		'npm test "unfinished',
		'npm test "a\\"; rm x; echo "b"',
		'npm test ;; rm x',
		'&& npm test',
		'npm test |& sh',
		'npm test ｜ sh',
		'npm test ；rm',
		'npm\u00a0test',
		'npm test\u2028rm -rf .',
		'npm test\u0000rm',
		'',
		' ',
		`npm test ${'a*'.repeat(10_000)}`,
	]) {
		it(`does not allow ${JSON.stringify(line).slice(0, 100)}`, () => {
			assert.equal(allows('npm test', line), false);
		});
	}

	it('lets nothing be made by one that decides what runs', () => {
		assert.ok(allows('mkdir -p src/a', 'mkdir -p src/b/c'));
		assert.ok(!allows('mkdir -p src/a', 'mkdir -p .github/workflows'));
		assert.ok(!allows('cp a.js b.js', 'cp a.js .git/hooks/pre-commit'));
		assert.ok(!allows('make test', 'make test SHELL=./evil'));
		assert.ok(!allows('make test', 'make -f evil.mk test'));
	});

	it('lets nothing be made outside of the folder, over what a pattern stands for, or as a link', () => {
		assert.ok(!allows('cp a.js b.js', 'cp a.js -t .git/hooks'));
		assert.ok(!allows('cp a.js b.js', 'cp -t /tmp a.js'));
		assert.ok(!allows('mv a.js b.js', 'mv a.js -t ../other'));
		assert.ok(!allows('cp a.js b.js', 'cp a.txt Makef*'));
		assert.ok(!allows('cp a.js b.js', 'cp a.txt packag?.json'));
		assert.ok(!allows('cp a.js b.js', 'cp -s a.js b.js'));
	});

	it('of one goal allows no other goal, and sets no variable', () => {
		assert.ok(allows('make test', 'make test -s'));
		assert.ok(allows('make test -j 4', 'make test -j 4'));
		assert.ok(!allows('make test', 'make test deploy'));
		assert.ok(!allows('make test', 'make test -k deploy'));
		assert.ok(!allows('make test', "make test 'X!=rm -rf .'"));
		assert.ok(!allows('make test', "make test 'X := $(shell rm -rf .)'"));
		assert.ok(!allows('npm test', "npm test 'X!=rm -rf .'"));
		assert.ok(!allows('mvn test', 'mvn test deploy'));
		assert.ok(!allows('mvn test', 'mvn test -s settings.txt'));
		assert.ok(!allows('./gradlew test', './gradlew test -g folder'));
	});

	it('takes one word for no two', () => {
		assert.ok(!allows('./gradlew test', "'./gradlew test'"));
		assert.ok(!isReading("'git log'", HERE));
	});
});

describe('a command that only reads', () => {
	it('is one of the usual ones', () => {
		for (const line of [
			'ls',
			'ls -la src',
			'cat a.ts b.ts',
			"sed -n '1,80p' src/a.ts",
			'grep -rn "a thing" src',
			'rg -n "x|y" -g "*.ts"',
			'git status --short && git diff --stat',
			'git log --oneline -5',
			'find . -name "*.ts" | head -20',
			'wc -l src/a.ts; pwd',
			'head -c 100 x | sort | cut -d: -f1',
		]) {
			assert.ok(isReading(line, HERE), line);
		}
		assert.ok(isReading('grep -rn --include=*.ts x src', HERE));
		assert.ok(!isReading('git commit -m x', HERE));
		assert.ok(!isReading('', HERE));
	});

	it('is none that runs or removes something in another way than by its name', () => {
		// Each of these did when it was run by dash or Bash, the patterns beside a file whose name is an option.
		for (const line of [
			"git grep '-1Orm -rf .' x",
			'git grep -l -* x',
			'find src -d*',
			'sort a -?Makefile',
			'printf -v PATH bin; ls',
		]) {
			assert.ok(!isReading(line, HERE), line);
		}
	});
});

describe('the repairs of a day', () => {
	/** The kinds of commands, in the order and with the forms in which agents run them while they repair something. */
	const files = ['auth', 'router', 'parser', 'cache', 'view', 'query', 'session', 'upload', 'mail', 'search'];
	const repairs = files.flatMap((name, index) => [
		'git status --short',
		`cd /project && grep -rn "${name}" lib test | head -20`,
		`sed -n '1,120p' lib/${name}.js`,
		`cat test/${name}.js`,
		`npx mocha test/${name}.js`,
		`npx mocha test/${name}.js --grep "does it"`,
		index % 3 === 0 ? `node -e "require('./lib/${name}')"` : `ls -la lib/${name}*`,
		'npm test 2>&1 | tail -30',
		index % 2 === 0 ? 'npm run lint' : `npx eslint lib/${name}.js`,
		`git diff -- lib/${name}.js && git log --oneline -3`,
	]);

	it('ask at most eight times in a hundred commands, each time with an answer that is true', () => {
		assert.equal(repairs.length, 100);
		const rules: CommandRule[] = [];
		const exact = new Set<string>();
		const questions: string[] = [];
		for (const line of repairs) {
			if (isReading(line, HERE) || exact.has(line) || isAllowedBy(rules, line, HERE)) {
				continue;
			}
			questions.push(line);
			const rule = ruleFor(line, HERE);
			rule ? rules.push(rule) : exact.add(line);
		}
		assert.ok(questions.length <= 8, questions.join('\n'));
	});
});
