//! The questions. Each has a name of its own, so that whoever reads a log of requests knows them.

/// Who is logged in.
pub(super) const ACCOUNT: &str = "query WindlassAccount { viewer { login } rateLimit { remaining resetAt } }";

/// What a repository is and allows.
pub(super) const REPOSITORY: &str = "query WindlassRepository($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    isArchived viewerPermission mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed
    defaultBranchRef { name }
  }
}";

/// Takes a draft's mark away.
pub(super) const MARK_READY: &str = "mutation WindlassMarkReady($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}";

/// What is wanted to be known of a pull request.
const FIELDS: &str = "
    id number url body state isDraft headRefName headRefOid baseRefName mergeable mergeStateStatus reviewDecision
    mergeCommit { oid }
    reviewRequests(first: 1) { totalCount }
    commits(last: 1) { nodes { commit {
      oid
      parents(first: 3) { nodes { oid } }
      statusCheckRollup { contexts(first: 100) {
        totalCount
        nodes {
          __typename
          ... on CheckRun { databaseId name status conclusion title checkSuite { app { slug } } }
          ... on StatusContext { context state description }
        }
      } }
    } } }
    reviewThreads(first: 50) { nodes {
      id isResolved path line
      comments(first: 10) { nodes { author { login } authorAssociation body } }
    } }";

/// One pull request.
pub(super) fn view() -> String {
    format!(
        "query WindlassPullRequest($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{ pullRequest(number: $number) {{{FIELDS}
  }} }}
}}"
    )
}

/// Those of a branch.
pub(super) fn of_branch() -> String {
    format!(
        "query WindlassPullRequestsOfBranch($owner: String!, $name: String!, $branch: String!) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(headRefName: $branch, first: 20, orderBy: {{ field: CREATED_AT, direction: DESC }}) {{ nodes {{
    isCrossRepository{FIELDS}
    }} }}
  }}
}}"
    )
}
