import assert from 'node:assert/strict';
import { comparePage, hostKindOf, hostOf, likelyBases } from '../../../../src/tasks/model/comparePage.ts';

/** A branch whose name has what an address gives a meaning to. */
const BRANCH = 'errand/fix #12 50% grün';
const ENCODED = 'errand/fix%20%2312%2050%25%20gr%C3%BCn';
const ENCODED_WHOLE = 'errand%2Ffix%20%2312%2050%25%20gr%C3%BCn';

/** What the addresses of a repository's remote are, the kind of its host, and the page for a pull request into `main`. */
const PAGES: readonly (readonly [kind: string, addresses: readonly string[], page: string])[] = [
	[
		'github',
		[
			'https://github.com/acme/widgets.git',
			'https://user:secret@github.com/acme/widgets',
			'git@github.com:acme/widgets.git',
			'ssh://git@github.com/acme/widgets.git',
			'ssh://git@ssh.github.com:443/acme/widgets.git',
		],
		`https://github.com/acme/widgets/compare/main...${ENCODED}?expand=1`,
	],
	[
		'github',
		['https://github.acme.example:8443/acme/widgets.git'],
		`https://github.acme.example:8443/acme/widgets/compare/main...${ENCODED}?expand=1`,
	],
	[
		'github',
		['git@acme.ghe.com:acme/widgets.git'],
		`https://acme.ghe.com/acme/widgets/compare/main...${ENCODED}?expand=1`,
	],
	[
		'gitlab',
		[
			'https://gitlab.com/acme/sub/group/widgets.git',
			'git@gitlab.com:acme/sub/group/widgets.git',
			'ssh://git@altssh.gitlab.com:443/acme/sub/group/widgets.git',
		],
		`https://gitlab.com/acme/sub/group/widgets/-/merge_requests/new?merge_request%5Bsource_branch%5D=${ENCODED_WHOLE}&merge_request%5Btarget_branch%5D=main`,
	],
	[
		'bitbucket',
		['https://user@bitbucket.org/acme/widgets.git', 'git@bitbucket.org:acme/widgets.git'],
		`https://bitbucket.org/acme/widgets/pull-requests/new?source=${ENCODED_WHOLE}&dest=main`,
	],
	[
		'bitbucketServer',
		['https://bitbucket.acme.example/scm/AC/widgets.git', 'ssh://git@bitbucket.acme.example:7999/AC/widgets.git'],
		`https://bitbucket.acme.example/projects/AC/repos/widgets/pull-requests?create&sourceBranch=refs%2Fheads%2F${ENCODED_WHOLE}&targetBranch=refs%2Fheads%2Fmain`,
	],
	[
		'bitbucketServer',
		['https://code.acme.example:8443/context/scm/~jane/widgets.git'],
		`https://code.acme.example:8443/context/users/jane/repos/widgets/pull-requests?create&sourceBranch=refs%2Fheads%2F${ENCODED_WHOLE}&targetBranch=refs%2Fheads%2Fmain`,
	],
	[
		'azure',
		['https://acme@dev.azure.com/acme/My%20Project/_git/widgets', 'git@ssh.dev.azure.com:v3/acme/My%20Project/widgets'],
		`https://dev.azure.com/acme/My%20Project/_git/widgets/pullrequestcreate?sourceRef=${ENCODED_WHOLE}&targetRef=main`,
	],
	[
		'azure',
		['https://acme.visualstudio.com/tools/_git/widgets', 'acme@vs-ssh.visualstudio.com:v3/acme/tools/widgets'],
		`https://acme.visualstudio.com/tools/_git/widgets/pullrequestcreate?sourceRef=${ENCODED_WHOLE}&targetRef=main`,
	],
	[
		'azure',
		['https://tfs.acme.example/tfs/Collection/tools/_git/widgets'],
		`https://tfs.acme.example/tfs/Collection/tools/_git/widgets/pullrequestcreate?sourceRef=${ENCODED_WHOLE}&targetRef=main`,
	],
	[
		'gitea',
		['https://codeberg.org/acme/widgets.git', 'git@codeberg.org:acme/widgets.git'],
		`https://codeberg.org/acme/widgets/compare/main...${ENCODED}`,
	],
	[
		'gitea',
		['http://gitea.acme.example:3000/acme/widgets.git'],
		`http://gitea.acme.example:3000/acme/widgets/compare/main...${ENCODED}`,
	],
];

describe('the page for a pull request', () => {
	for (const [kind, addresses, page] of PAGES) {
		for (const address of addresses) {
			it(`is found for ${address.replace('secret', '…')}`, () => {
				assert.equal(hostKindOf(address), kind);
				const asked = { head: address, branch: BRANCH, base: addresses[0] ?? '', baseBranch: 'main' };
				assert.equal(comparePage(hostKindOf(address) ?? assert.fail(), asked), page);
				assert.equal(URL.parse(page)?.href, page, 'a browser opens exactly this');
			});
		}
	}

	// Each row compares `jane`'s fork with the repository of `acme`.
	for (const [head, base, page] of [
		[
			'git@github.com:jane/widgets.git',
			'https://github.com/acme/widgets',
			'https://github.com/acme/widgets/compare/release/2...jane:work?expand=1',
		],
		[
			'git@github.com:jane/my-widgets.git',
			'https://github.com/acme/widgets',
			'https://github.com/acme/widgets/compare/release/2...jane:my-widgets:work?expand=1',
		],
		[
			'https://codeberg.org/jane/widgets',
			'https://codeberg.org/acme/widgets.git',
			'https://codeberg.org/acme/widgets/compare/release/2...jane:work',
		],
		[
			'https://codeberg.org/jane/my-widgets',
			'https://codeberg.org/acme/widgets.git',
			'https://codeberg.org/acme/widgets/compare/release/2...jane/my-widgets:work',
		],
		[
			'https://gitlab.com/jane/widgets.git',
			'https://gitlab.com/acme/sub/widgets.git',
			'https://gitlab.com/jane/widgets/-/merge_requests/new?merge_request%5Bsource_branch%5D=work&merge_request%5Btarget_branch%5D=release%2F2',
		],
		[
			'git@bitbucket.org:jane/widgets.git',
			'git@bitbucket.org:acme/widgets.git',
			'https://bitbucket.org/jane/widgets/pull-requests/new?source=work&dest=acme%2Fwidgets%3A%3Arelease%2F2',
		],
		[
			'https://bitbucket.acme.example/scm/~jane/widgets.git',
			'https://bitbucket.acme.example/scm/AC/widgets.git',
			'https://bitbucket.acme.example/users/jane/repos/widgets/pull-requests?create&sourceBranch=refs%2Fheads%2Fwork',
		],
		[
			'https://dev.azure.com/acme/tools/_git/widgets.jane',
			'https://dev.azure.com/acme/tools/_git/widgets',
			'https://dev.azure.com/acme/tools/_git/widgets.jane/pullrequestcreate?sourceRef=work',
		],
	] as const) {
		it(`is found from the fork ${head}`, () => {
			const kind = hostKindOf(head) ?? assert.fail();
			assert.equal(comparePage(kind, { head, branch: 'work', base, baseBranch: 'release/2' }), page);
		});
	}

	it('leaves the branch to merge into to the host where it is not known', () => {
		const page = (kind: Parameters<typeof comparePage>[0], address: string) =>
			comparePage(kind, { head: address, branch: 'work', base: address, baseBranch: undefined });
		assert.equal(page('github', 'git@github.com:a/b'), 'https://github.com/a/b/compare/work?expand=1');
		assert.equal(page('gitea', 'https://git.example/a/b'), 'https://git.example/a/b/compare/work');
		assert.equal(
			page('bitbucket', 'https://bitbucket.org/a/b'),
			'https://bitbucket.org/a/b/pull-requests/new?source=work',
		);
		assert.equal(
			page('gitlab', 'https://git.example/a/b'),
			'https://git.example/a/b/-/merge_requests/new?merge_request%5Bsource_branch%5D=work',
		);
	});

	it('is not known for the software of any other host, nor for what is no repository on a host', () => {
		for (const address of [
			'https://git.example/acme/widgets.git',
			'git@work:acme/widgets',
			'https://mygithub.com/a/b',
		]) {
			assert.equal(hostKindOf(address), undefined, address);
			assert.notEqual(hostOf(address), undefined, address);
		}
		for (const address of [
			'/srv/git/widgets',
			'file:///srv/git/widgets',
			'ext::sh -c id',
			'',
			'https://github.com/acme',
		]) {
			assert.equal(hostOf(address), undefined, address);
			assert.equal(hostKindOf(address), undefined, address);
			const asked = { head: address, branch: 'work', base: address, baseBranch: 'main' };
			assert.equal(comparePage('github', asked), undefined, address);
		}
		assert.equal(hostOf('https://user:secret@git.example:8443/a/b'), 'git.example:8443');
	});
});

describe('the repository that a pull request goes to', () => {
	const remote = (name: string, path: string, host = 'github.com') => ({ name, address: `https://${host}/${path}` });
	const origin = remote('origin', 'jane/widgets');
	const names = (head: ReturnType<typeof remote>, ...others: ReturnType<typeof remote>[]) =>
		likelyBases(head, [head, ...others]).map(({ name }) => name);

	it('is the remote’s own where there is no other that it could have been made of', () => {
		assert.deepEqual(names(origin), ['origin']);
		assert.deepEqual(names(origin, remote('same', 'Jane/Widgets.git')), ['origin']);
		assert.deepEqual(names(origin, remote('upstream', 'acme/widgets', 'gitlab.com')), ['origin']);
		assert.deepEqual(names(origin, remote('other', 'acme/gadgets')), ['origin']);
	});

	it('is that of upstream where it has the same name, whatever else there is', () => {
		assert.deepEqual(names(origin, remote('bob', 'bob/widgets'), remote('upstream', 'acme/widgets')), ['upstream']);
		assert.deepEqual(names(remote('upstream', 'acme/widgets'), origin), ['upstream']);
	});

	it('is asked for where it is not clear', () => {
		assert.deepEqual(names(origin, remote('upstream', 'acme/gadgets')), ['upstream', 'origin']);
		assert.deepEqual(names(origin, remote('bob', 'bob/widgets')), ['bob', 'origin']);
	});
});
