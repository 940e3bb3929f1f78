package io.ensemble.cli.demo.versions;

import io.ensemble.check.process.CommandException;
import io.ensemble.cli.demo.DemoSteps;
import io.ensemble.cli.demo.StepReport;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.trace.GitCommit;
import io.ensemble.testkit.trace.GitTrace;
import io.ensemble.testkit.trace.GitTraceException;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.SnapshotDifference;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersioningException;
import io.ensemble.versioning.order.Timestamps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Loads the history of a git repository into a versioned cache, and queries it: as of a date, a
 * range, a difference. Each answer is compared with git's, or with the trace.
 */
public final class VersionsDemo {

  /**
   * The result.
   *
   * @param ok whether every step succeeded
   * @param seconds the total time
   * @param repository the repository
   * @param commits the number of commits
   * @param asOf the moment of the snapshot
   * @param steps the steps; the last one failed if any did
   */
  public record Report(
      boolean ok,
      double seconds,
      String repository,
      long commits,
      String asOf,
      List<StepReport> steps) {

    /** Copies the list. */
    public Report {
      steps = List.copyOf(steps);
    }
  }

  private static final int RANGE = 5;
  private static final long MOST_BYTES = 512L << 20;

  private final Path repository;
  private final int commits;
  private final Optional<Instant> asOf;
  private final Consumer<String> progress;
  private final DemoSteps steps;
  private final TraceHistory history = new TraceHistory();
  private long cutVersion;
  private long loaded;

  /**
   * @param repository a directory of the repository
   * @param commits the number of the latest commits to load
   * @param asOf the moment of the snapshot; the middle of the history by default
   * @param progress receives short lines about the progress
   */
  public VersionsDemo(
      Path repository, int commits, Optional<Instant> asOf, Consumer<String> progress) {
    this.repository = repository;
    this.commits = commits;
    this.asOf = asOf;
    this.progress = progress;
    this.steps = new DemoSteps(progress);
  }

  /**
   * Runs the demonstration. A failed step ends it and is the last one in the report. No process of
   * it remains afterwards.
   *
   * @throws CommandException if there is no such repository
   */
  public Report run() {
    long begin = System.nanoTime();
    boolean ok = true;
    try (GitTrace git =
        GitTrace.open(repository, new GitTrace.Options("HEAD", commits, Optional.empty()))) {
      steps.step("read the history of " + repository.toAbsolutePath().normalize(), () -> read(git));
      try (EmbeddedFederation site = steps.make("start a cluster of 3 nodes", this::cluster)) {
        runQueries(site, git);
      }
    } catch (GitTraceException e) {
      throw new CommandException(e.getMessage() + "; --repository selects another one", e);
    } catch (DemoSteps.DemoStoppedException failed) {
      ok = false;
    }
    double seconds = Math.round((System.nanoTime() - begin) / 1e8) / 1e1;
    return new Report(
        ok,
        seconds,
        repository.toAbsolutePath().normalize().toString(),
        loaded,
        Instant.ofEpochMilli(cutVersion).toString(),
        steps.reports());
  }

  private String read(GitTrace git) throws IOException {
    GitTrace.Report report =
        git.all(
            version -> {
              history.add(version);
              if (history.bytes > MOST_BYTES) {
                throw new IOException(
                    "the history is larger than 512 MiB: use --commits to load less");
              }
            },
            progress);
    loaded = report.commits();
    require(history.versions > 0, "the repository has no versions");
    cutVersion = asOf.map(Instant::toEpochMilli).orElse((history.first + history.last) / 2);
    return "%,d commits, %,d files, %,d versions, %,d KiB"
        .formatted(report.commits(), history.keys.size(), history.versions, history.bytes >> 10);
  }

  private EmbeddedFederation cluster() {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults()
            .withSiteNames("lyon")
            .withNodesPerSite(3)
            .withProgress(progress));
  }

  private void runQueries(EmbeddedFederation site, GitTrace git) {
    String endpoints =
        site.sites().get(0).endpoints().stream()
            .map(at -> at.getHostString() + ":" + at.getPort())
            .collect(Collectors.joining(";"));
    try (RemoteCacheManager manager =
        new RemoteCacheManager(new ConfigurationBuilder().addServers(endpoints).build())) {
      RemoteCache<?, ?> store =
          steps.make("create a cache", () -> HotRodObjectStore.cache(manager, "versions"));
      // The dates of commits come from their writers' clocks, and may be in the future.
      Timestamps dates = new Timestamps(() -> 0);
      try (AtomicObjectFactory factory = AtomicObjectFactory.on(new HotRodObjectStore(store));
          VersionedCache<String, byte[], Long> files =
              VersionedCache.builder(factory, "files", BinaryCodec.TEXT, BinaryCodec.BYTES, dates)
                  .deltas()
                  .open()) {
        steps.step("load it into a versioned cache", () -> load(files));
        String moment = Instant.ofEpochMilli(cutVersion).toString();
        steps.step("the files as of " + moment, () -> readSnapshot(files, git));
        String longest = history.longest();
        steps.step("the last versions of " + longest, () -> readRange(files, longest));
        steps.step("changes since " + moment, () -> compareSnapshots(files));
        steps.step("reads of a snapshot do not change", () -> compactHistory(files, longest));
      }
    }
  }

  private String load(VersionedCache<String, byte[], Long> files) {
    long begin = System.nanoTime();
    TraceLoader.load(history, files.async(), progress);
    double seconds = (System.nanoTime() - begin) / 1e9;
    return "%,.0f versions a second".formatted(history.versions / seconds);
  }

  /**
   * Compares the snapshot with git's own listing of the commit of that moment, content by content.
   */
  private String readSnapshot(VersionedCache<String, byte[], Long> files, GitTrace git)
      throws IOException {
    Optional<GitCommit> commit = git.asOf(cutVersion);
    Map<String, String> due = commit.isPresent() ? git.files(commit.get()) : Map.of();
    int shown = 0;
    try (CloseableIterator<Map.Entry<String, Versioned<Long, byte[]>>> entries =
        files.at(cutVersion).entries()) {
      while (entries.hasNext()) {
        Map.Entry<String, Versioned<Long, byte[]>> entry = entries.next();
        String name = due.get(entry.getKey());
        require(
            name != null && GitHash.matches(name, entry.getValue().value().orElseThrow()),
            entry.getKey() + " differs from the commit in git");
        shown++;
      }
    }
    require(shown == due.size(), "%,d files; git has %,d".formatted(shown, due.size()));
    return "%,d files, each as in commit %s"
        .formatted(shown, commit.map(c -> c.id().substring(0, 10)).orElse("none"));
  }

  private String readRange(VersionedCache<String, byte[], Long> files, String key) {
    List<Long> due = history.lastOf(key, RANGE);
    List<Versioned<Long, byte[]>> found = files.getRange(key, due.get(0), due.get(due.size() - 1));
    require(
        found.stream().map(Versioned::version).toList().equals(due),
        "expected the versions of the trace: got " + found.size() + " instead of " + due.size());
    StringBuilder lines = new StringBuilder();
    for (Versioned<Long, byte[]> version : found) {
      Optional<byte[]> wanted = history.at(key, version.version());
      require(
          Arrays.equals(version.value().orElse(null), wanted.orElse(null)),
          "different content at " + version.version());
      lines
          .append(lines.isEmpty() ? "" : "; ")
          .append(Instant.ofEpochMilli(version.version()))
          .append(' ')
          .append(version.value().map(v -> "%,d bytes".formatted(v.length)).orElse("removed"));
    }
    return lines.toString();
  }

  private String compareSnapshots(VersionedCache<String, byte[], Long> files) {
    CacheSnapshot<String, byte[], Long> before = files.at(cutVersion);
    CacheSnapshot<String, byte[], Long> after = files.at(Math.max(cutVersion, history.last));
    Map<SnapshotDifference.Kind, Integer> counts = new EnumMap<>(SnapshotDifference.Kind.class);
    try (CloseableIterator<SnapshotDifference<String, byte[], Long>> all = before.diff(after)) {
      all.forEachRemaining(d -> counts.merge(d.kind(), 1, Integer::sum));
    }
    TraceHistory.Changes found =
        new TraceHistory.Changes(
            counts.getOrDefault(SnapshotDifference.Kind.ADDED, 0),
            counts.getOrDefault(SnapshotDifference.Kind.CHANGED, 0),
            counts.getOrDefault(SnapshotDifference.Kind.REMOVED, 0));
    TraceHistory.Changes due = history.between(cutVersion, Math.max(cutVersion, history.last));
    require(found.equals(due), found + "; the trace has " + due);
    return found.toString();
  }

  private String compactHistory(VersionedCache<String, byte[], Long> files, String key) {
    try {
      files.put(key, new byte[] {1}, cutVersion);
    } catch (VersioningException.VersionBelowSnapshot e) {
      return "a version below it is refused: VersionBelowSnapshot";
    }
    throw new IllegalStateException("a version below a snapshot was added");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
