import { CreateSchema1700000000001 } from './0001-create-schema.js';
import { AddRateLimitHits1700000000002 } from './0002-add-rate-limit-hits.js';
import { AddKeysAndAudit1700000000003 } from './0003-add-keys-and-audit.js';
import { AddLicenceClock1700000000004 } from './0004-add-licence-clock.js';
import { GiveGraphsTablesOfTheirOwn1700000000005 } from './0005-give-graphs-tables-of-their-own.js';
import { CountHitsInBatches1700000000006 } from './0006-count-hits-in-batches.js';
import { IndexRunsByRequester1700000000007 } from './0007-index-runs-by-requester.js';
import { AddConnectionGrants1700000000008 } from './0008-add-connection-grants.js';
import { NameUsersOnceAndMeasureAnswers1700000000009 } from './0009-name-users-once-and-measure-answers.js';
import { NameSchemasOfBoundQueries1700000000010 } from './0010-name-schemas-of-bound-queries.js';
import { AddIdempotencyKeys1700000000011 } from './0011-add-idempotency-keys.js';
import { NameTablesBehindQueries1700000000012 } from './0012-name-tables-behind-queries.js';
import { RecordCommitsOfKeyedRequests1700000000013 } from './0013-record-commits-of-keyed-requests.js';
import { AllowConnectionsOfMoreTypes1700000000014 } from './0014-allow-connections-of-more-types.js';
import { KeepGraphsInStep1700000000015 } from './0015-keep-graphs-in-step.js';
import { GiveMirrorTablesVersions1700000000016 } from './0016-give-mirror-tables-versions.js';
import { AddSchedules1700000000017 } from './0017-add-schedules.js';
import { FindStubs1700000000018 } from './0018-find-stubs.js';
import { AddWebhooks1700000000021 } from './0021-add-webhooks.js';
import { ScheduleMirrorCopies1700000000022 } from './0022-schedule-mirror-copies.js';
import { SignWithFormerSecrets1700000000023 } from './0023-sign-with-former-secrets.js';
import { SayWhatStartedRuns1700000000024 } from './0024-say-what-started-runs.js';
import { KeepEarlierRunsOfCopies1700000000025 } from './0025-keep-earlier-runs-of-copies.js';
import { LetRunsDoAllWork1700000000026 } from './0026-let-runs-do-all-work.js';
import { GiveMetricsFormats1700000000027 } from './0027-give-metrics-formats.js';
import { WatchMetrics1700000000028 } from './0028-watch-metrics.js';
import { KeepResultsOfMetrics1700000000029 } from './0029-keep-results-of-metrics.js';
import { RememberQueriesUnderWay1700000000030 } from './0030-remember-queries-under-way.js';
import { LetNodesHaveFurtherLabels1700000000031 } from './0031-let-nodes-have-further-labels.js';
import { NoteSeenVersions1700000000032 } from './0032-note-seen-versions.js';
import { NoteChangesOfGraphs1700000000033 } from './0033-note-changes-of-graphs.js';
import { AddSynonyms1700000000034 } from './0034-add-synonyms.js';
import { TellVersionsOfGraphsApart1700000000035 } from './0035-tell-versions-of-graphs-apart.js';
import { KeepEarlierAnswers1700000000036 } from './0036-keep-earlier-answers.js';
import { LetSchedulesTakeTurns1700000000037 } from './0037-let-schedules-take-turns.js';
import { CountBytesOfTheMirror1700000000038 } from './0038-count-bytes-of-the-mirror.js';
import { CountBytesOfRejectedRows1700000000039 } from './0039-count-bytes-of-rejected-rows.js';
import { CountBytesOfGraphs1700000000040 } from './0040-count-bytes-of-graphs.js';
import { FindRecentChangesOfAUser1700000000041 } from './0041-find-recent-changes-of-a-user.js';
import { FindLostDeliveries1700000000042 } from './0042-find-lost-deliveries.js';
import { CountIdempotencyKeysByUser1700000000043 } from './0043-count-idempotency-keys-by-user.js';
import { WriteEqualKeysAlike1700000000044 } from './0044-write-equal-keys-alike.js';

/** All migrations, oldest first. */
export const migrations = [
  CreateSchema1700000000001,
  AddRateLimitHits1700000000002,
  AddKeysAndAudit1700000000003,
  AddLicenceClock1700000000004,
  GiveGraphsTablesOfTheirOwn1700000000005,
  CountHitsInBatches1700000000006,
  IndexRunsByRequester1700000000007,
  AddConnectionGrants1700000000008,
  NameUsersOnceAndMeasureAnswers1700000000009,
  NameSchemasOfBoundQueries1700000000010,
  AddIdempotencyKeys1700000000011,
  NameTablesBehindQueries1700000000012,
  RecordCommitsOfKeyedRequests1700000000013,
  AllowConnectionsOfMoreTypes1700000000014,
  KeepGraphsInStep1700000000015,
  GiveMirrorTablesVersions1700000000016,
  AddSchedules1700000000017,
  FindStubs1700000000018,
  AddWebhooks1700000000021,
  ScheduleMirrorCopies1700000000022,
  SignWithFormerSecrets1700000000023,
  SayWhatStartedRuns1700000000024,
  KeepEarlierRunsOfCopies1700000000025,
  LetRunsDoAllWork1700000000026,
  GiveMetricsFormats1700000000027,
  WatchMetrics1700000000028,
  KeepResultsOfMetrics1700000000029,
  RememberQueriesUnderWay1700000000030,
  LetNodesHaveFurtherLabels1700000000031,
  NoteSeenVersions1700000000032,
  NoteChangesOfGraphs1700000000033,
  AddSynonyms1700000000034,
  TellVersionsOfGraphsApart1700000000035,
  KeepEarlierAnswers1700000000036,
  LetSchedulesTakeTurns1700000000037,
  CountBytesOfTheMirror1700000000038,
  CountBytesOfRejectedRows1700000000039,
  CountBytesOfGraphs1700000000040,
  FindRecentChangesOfAUser1700000000041,
  FindLostDeliveries1700000000042,
  CountIdempotencyKeysByUser1700000000043,
  WriteEqualKeysAlike1700000000044,
];
