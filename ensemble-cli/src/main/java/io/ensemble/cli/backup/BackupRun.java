package io.ensemble.cli.backup;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.backup.BackupPlan.PlannedCache;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupVerifier;
import io.ensemble.cli.backup.format.StoredBackup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A run of {@code backup create}. The manifest is written after each cache. A run that resumes a
 * backup keeps the caches that are complete, and copies the others from their beginning: the copy
 * of a cache is always of one run.
 */
final class BackupRun {

  /**
   * What a run copies.
   *
   * @param selection the names of caches; empty for all
   * @param resume whether to continue a backup that was interrupted
   * @param fileBytes the maximum size of a file
   */
  record BackupRequest(
      List<String> selection, List<String> excluded, boolean resume, long fileBytes) {}

  private final EnsembleCacheManager manager;
  private final StoredBackup backup;
  private final String program;
  private final Supplier<Instant> clock;
  private final Consumer<String> progress;

  /**
   * @param store where the backup will be
   * @param program the version of this program
   * @param progress receives the name of the cache and the number of entries copied so far
   */
  BackupRun(
      EnsembleCacheManager manager,
      BackupStore store,
      String program,
      Supplier<Instant> clock,
      Consumer<String> progress) {
    this.manager = manager;
    this.backup = new StoredBackup(store);
    this.program = program;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Makes the backup, or the rest of it. Its directory is created after all caches are known to be
   * of a kind that can be copied.
   *
   * @return its manifest
   * @throws BackupException if the directory is in use, or cannot be written; or if a cache holds
   *     objects that are not copied
   * @throws CommandException if a cache cannot be copied
   */
  BackupManifest run(BackupRequest request) {
    if (request.resume()) {
      Optional<BackupManifest> ended = backup.interrupted();
      if (ended.isPresent()) {
        requireNoneOf(request.excluded(), ended.get());
        return backup.finishInterrupted().orElseThrow(this::isComplete);
      }
    }
    Optional<BackupManifest> former = former(request.resume());
    BackupPlan plan = plan(request, former);
    backup.claim();
    if (!former(request.resume()).equals(former)) {
      throw hasChanged();
    }
    return run(request, former, plan);
  }

  /** Only the last steps are missing, so that these caches would be in the backup. */
  private static void requireNoneOf(List<String> excluded, BackupManifest ended) {
    for (String name : excluded) {
      if (ended.cache(name).isPresent()) {
        throw new BackupException("the cache is in the backup already; cache=" + name);
      }
    }
  }

  private BackupException hasChanged() {
    return new BackupException(
        "another run has changed the backup: repeat the command; " + backup.store().location());
  }

  private static List<String> selection(BackupRequest request, Optional<BackupManifest> former) {
    return former.map(BackupManifest::selection).orElse(request.selection());
  }

  private static List<String> excluded(BackupRequest request, Optional<BackupManifest> former) {
    Set<String> excluded = new LinkedHashSet<>(request.excluded());
    former.ifPresent(one -> excluded.addAll(one.excluded()));
    return List.copyOf(excluded);
  }

  /** Refuses what cannot be copied; writes nothing. */
  private BackupPlan plan(BackupRequest request, Optional<BackupManifest> former) {
    BackupPlan plan =
        BackupPlan.of(manager.inventory(), selection(request, former), excluded(request, former));
    if (plan.caches().isEmpty()) {
      throw new CommandException("there is no cache to copy");
    }
    former
        .filter(one -> !one.federation().equals(plan.federation()))
        .ifPresent(
            one -> {
              throw new BackupException(
                  "the backup is of another federation: %s; got %s"
                      .formatted(one.federation(), plan.federation()));
            });
    return plan;
  }

  private BackupManifest run(
      BackupRequest request, Optional<BackupManifest> former, BackupPlan plan) {
    String begun = former.map(BackupManifest::begun).orElseGet(() -> clock.get().toString());
    int runs = former.map(BackupManifest::runs).orElse(0) + 1;
    List<CacheBackup> done = kept(former, plan);
    BackupManifest manifest =
        new BackupManifest(
            BackupManifest.FORMAT,
            false,
            program,
            plan.federation(),
            begun,
            null,
            runs,
            UUID.randomUUID().toString(),
            selection(request, former),
            excluded(request, former),
            done,
            plan.distributed());
    begin(manifest);
    former.ifPresent(backup::removeUnlisted);
    int number = 0;
    for (PlannedCache planned : plan.caches()) {
      String of = "cache %d of %d: ".formatted(++number, plan.caches().size());
      if (manifest.cache(planned.name()).isPresent()) {
        progress.accept(of + planned.name() + ", complete");
        continue;
      }
      progress.accept(of + planned.name());
      done.add(
          new CacheCopier(
                  manager,
                  backup,
                  StoredBackup.directory(runs, number),
                  request.fileBytes(),
                  clock,
                  line -> progress.accept(of + line))
              .copy(planned));
      manifest = manifest.with(done);
      backup.savePartial(manifest);
    }
    return backup.complete(manifest.ended(clock.get().toString()));
  }

  /**
   * From now on other runs that write this backup fail. A former run may have completed it between
   * the first look and this write.
   */
  private void begin(BackupManifest manifest) {
    backup.savePartial(manifest);
    if (backup.isComplete()) {
      backup.removePartial();
      throw isComplete();
    }
  }

  private Optional<BackupManifest> former(boolean resume) {
    String where = backup.store().location();
    if (backup.isComplete()) {
      throw isComplete();
    }
    Optional<BackupManifest> former = backup.loadPartial();
    if (!resume && former.isPresent()) {
      throw new BackupException(
          "the location holds a backup that is not complete: continue it with --resume, or choose"
              + " another location; "
              + where);
    }
    if (former.isPresent() && former.get().ended() != null) {
      throw hasChanged();
    }
    if (former.isEmpty() && !backup.isEmpty()) {
      throw new BackupException("the location of a new backup must be empty or absent; " + where);
    }
    return former;
  }

  private BackupException isComplete() {
    return new BackupException(
        "the location holds a complete backup: choose another one; " + backup.store().location());
  }

  /** The complete caches of the former run that are the same caches still, and have their files. */
  private List<CacheBackup> kept(Optional<BackupManifest> former, BackupPlan plan) {
    List<CacheBackup> kept = new ArrayList<>();
    if (former.isEmpty()) {
      return kept;
    }
    for (PlannedCache planned : plan.caches()) {
      former
          .get()
          .cache(planned.name())
          .filter(one -> one.creation().equals(planned.creation()))
          .filter(
              one ->
                  new BackupVerifier(backup.store()).problems(one.allFiles(), progress).isEmpty())
          .ifPresent(kept::add);
    }
    return kept;
  }
}
