package io.ensemble.cli.backup;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.cache.adapter.EncodedCache;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupVerifier;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.partition.PartitionerSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A run of {@code restore}. The files are verified before anything is written. A run that was
 * interrupted is repeated as a whole: it finds what the former one wrote, and has the same result.
 */
final class RestoreRun {

  /**
   * What a run restores.
   *
   * @param names the caches of the backup, each with its name in this federation; empty for all
   * @param sites of the restored caches; empty for those of the backup
   */
  record RestoreRequest(Map<String, String> names, List<String> sites, ConflictPolicy policy) {}

  /** The end of the restore of a cache. */
  record RestoredCache(
      String cache,
      String from,
      boolean created,
      long written,
      long present,
      long skipped,
      long expired,
      List<String> versioned) {}

  /** The end of a restore. */
  record RestoreReport(List<RestoredCache> caches, List<String> distributed) {}

  private record RestoreTarget(CacheBackup backup, CacheDefinition definition, boolean exists) {}

  private final EnsembleCacheManager manager;
  private final BackupStore files;
  private final LongSupplier epochMicros;
  private final Consumer<String> progress;

  /**
   * @param epochMicros the clock by which entries expire
   */
  RestoreRun(
      EnsembleCacheManager manager,
      BackupStore files,
      LongSupplier epochMicros,
      Consumer<String> progress) {
    this.manager = manager;
    this.files = files;
    this.epochMicros = epochMicros;
    this.progress = progress;
  }

  /**
   * Restores the caches.
   *
   * @param knownSites the sites of this federation
   * @throws BackupException if the backup is damaged or incomplete; nothing was written
   * @throws CommandException if a cache cannot be restored to this federation, in which case
   *     nothing was written; or at a conflict
   */
  RestoreReport run(RestoreRequest request, List<String> knownSites) {
    BackupManifest manifest = new StoredBackup(files).load();
    Map<String, String> names = names(manifest, request.names());
    List<DistributionBackup> distributed = distributed(manifest, names);
    List<RestoreTarget> targets = new ArrayList<>();
    for (CacheBackup backup : manifest.caches()) {
      String name = names.get(backup.name());
      if (name != null) {
        targets.add(target(backup, name, request, knownSites));
      }
    }
    verify(targets);
    List<RestoredCache> restored = new ArrayList<>();
    int number = 0;
    for (RestoreTarget target : targets) {
      restored.add(
          restore(
              target, request.policy(), "cache %d of %d: ".formatted(++number, targets.size())));
    }
    for (DistributionBackup one : distributed) {
      manager.createDistributed(
          new DistributedDefinition(
              one.name(),
              one.parts(),
              new PartitionerSpec(one.partitioner(), one.settings()),
              one.frontier()));
    }
    return new RestoreReport(restored, distributed.stream().map(DistributionBackup::name).toList());
  }

  /** The names of all caches to restore; the parts of a distributed cache belong to it. */
  private Map<String, String> names(BackupManifest manifest, Map<String, String> wanted) {
    Map<String, String> names = new LinkedHashMap<>();
    if (wanted.isEmpty()) {
      manifest.caches().forEach(one -> names.put(one.name(), one.name()));
      manifest.distributed().forEach(one -> names.put(one.name(), one.name()));
      return names;
    }
    Set<String> there = new HashSet<>();
    manifest.caches().forEach(one -> there.add(one.name()));
    manifest.distributed().forEach(one -> there.add(one.name()));
    wanted.forEach(
        (from, to) -> {
          if (!there.contains(from)) {
            throw new CommandException(
                ExitCode.USAGE, "the backup has no cache '%s'; it has %s".formatted(from, there));
          }
          addWithParts(manifest, from, names);
        });
    names.putAll(wanted);
    if (new HashSet<>(names.values()).size() < names.size()) {
      throw new CommandException(
          ExitCode.USAGE, "two caches would have the same name: " + names.values());
    }
    return names;
  }

  private static void addWithParts(
      BackupManifest manifest, String name, Map<String, String> names) {
    names.putIfAbsent(name, name);
    manifest.distributed().stream()
        .filter(one -> one.name().equals(name))
        .flatMap(one -> one.parts().stream())
        .forEach(part -> addWithParts(manifest, part, names));
  }

  private static List<DistributionBackup> distributed(
      BackupManifest manifest, Map<String, String> names) {
    List<DistributionBackup> wanted =
        manifest.distributed().stream().filter(one -> names.containsKey(one.name())).toList();
    for (DistributionBackup one : wanted) {
      List<String> all = new ArrayList<>(one.parts());
      all.add(one.name());
      for (String name : all) {
        if (!name.equals(names.get(name))) {
          throw new CommandException(
              ExitCode.USAGE,
              ("a distributed cache and its parts keep their names, because partitioners use them;"
                      + " cache=%s renamed=%s")
                  .formatted(one.name(), name));
        }
      }
    }
    return wanted;
  }

  /** Refuses what cannot be restored; writes nothing. */
  private RestoreTarget target(
      CacheBackup backup, String name, RestoreRequest request, List<String> knownSites) {
    CacheDefinition definition =
        BackupDefinitions.toDefinition(backup.definition(), name, request.sites());
    if (!manager.getCacheNames().contains(name)) {
      List<String> unknown =
          definition.siteNames().stream().filter(site -> !knownSites.contains(site)).toList();
      if (!unknown.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE,
            "the federation has no site %s; cache=%s; choose from %s with --sites"
                .formatted(String.join(",", unknown), name, knownSites));
      }
      return new RestoreTarget(backup, definition, false);
    }
    if (manager.stored(name).filter(one -> one.definition().privacy().isPrivate()).isPresent()) {
      throw new CommandException(
          "the cache exists and is private; cache=%s; restore to another one: --cache %s=NEWNAME"
              .formatted(name, backup.name()));
    }
    CacheDefinition existing = manager.encoded(name).definition();
    if (existing.mode() != definition.mode() || existing.keepsSiblings()) {
      throw new CommandException(
          ("the cache exists and must be in mode %s, without siblings; mode=%s siblings=%d"
                  + " cache=%s; restore to another one: --cache %s=NEWNAME")
              .formatted(
                  definition.mode(), existing.mode(), existing.siblings(), name, backup.name()));
    }
    return new RestoreTarget(backup, definition, true);
  }

  private void verify(List<RestoreTarget> targets) {
    List<String> problems =
        new BackupVerifier(files)
            .problems(
                targets.stream().flatMap(one -> one.backup().allFiles()),
                file -> progress.accept("verify " + file));
    if (!problems.isEmpty()) {
      throw new BackupException(
          "the backup is damaged, and nothing was restored: %s; see 'backup verify'"
              .formatted(problems.get(0)));
    }
  }

  private RestoredCache restore(RestoreTarget target, ConflictPolicy policy, String of) {
    CacheBackup backup = target.backup();
    String name = target.definition().name();
    progress.accept(of + name);
    if (!target.exists()) {
      create(target);
    }
    RestoreCounts counts = new RestoreCounts();
    Runnable report =
        () -> progress.accept("%s%s, %,d records".formatted(of, name, counts.total()));
    EncodedCache cache = manager.encoded(name);
    EntryRestorer entries = new EntryRestorer(cache, policy, epochMicros, counts, report);
    for (BackupFile file : backup.files()) {
      entries.restore(files, file);
    }
    for (VersionedBackup versioned : backup.versioned()) {
      EnsembleCache<String, byte[]> store = manager.getCache(name);
      if (store == null) {
        throw new CommandException("the cache was deleted during the restore: " + name);
      }
      new VersionRestorer(new EnsembleObjectStore(store), policy, counts, report)
          .restore(files, versioned);
    }
    return new RestoredCache(
        name,
        backup.name(),
        !target.exists(),
        counts.written.get(),
        counts.present.get(),
        counts.skipped.get(),
        counts.expired.get(),
        backup.versioned().stream().map(VersionedBackup::name).toList());
  }

  private void create(RestoreTarget target) {
    int shards = target.backup().definition().shards();
    if (shards == 0) {
      manager.createCache(target.definition());
    } else {
      manager.createSharded(target.definition(), shards);
    }
  }
}
