package io.ensemble.cli.backup.format;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a backup. Times are in ISO 8601.
 *
 * @param format {@value #FORMAT}
 * @param complete whether the run ended; a backup that is not complete can be resumed
 * @param program the version of the program that wrote the backup
 * @param federation the identity of the catalog
 * @param begun when the first run began
 * @param ended when the last run ended; null before. If it is present in a backup that is not
 *     complete, only the last steps are missing
 * @param runs the number of runs: 1, and 1 more for each time that the backup was resumed
 * @param runId identifies the last run, so that no two runs write the same manifest
 * @param selection the caches that were asked for; empty for all
 * @param excluded the caches that were not to be copied
 * @param caches the caches that were copied
 * @param distributed the distributed caches without shards, whose parts are among the caches
 */
public record BackupManifest(
    int format,
    boolean complete,
    String program,
    String federation,
    String begun,
    @Nullable String ended,
    int runs,
    String runId,
    List<String> selection,
    List<String> excluded,
    List<CacheBackup> caches,
    List<DistributionBackup> distributed) {

  /** The version of the format that this class writes, and the only one that it reads. */
  public static final int FORMAT = 1;

  public BackupManifest {
    selection = List.copyOf(selection);
    excluded = List.copyOf(excluded);
    caches = List.copyOf(caches);
    distributed = List.copyOf(distributed);
  }

  /** How the records of a cache belong together. */
  public enum BackupConsistency {
    /** Each key was read at a moment of its own, between the begin and the end of the copy. */
    EACH_KEY,
    /** All keys are as of one version. */
    CUT
  }

  /**
   * A file of records.
   *
   * @param name the path below the directory of the backup
   * @param sha256 of its bytes, in hexadecimal digits
   */
  public record BackupFile(String name, long records, long bytes, String sha256) {}

  /**
   * The definition of a cache, with the names and units of its fields.
   *
   * @param replicas the names of its replicas; see {@link io.ensemble.CacheDefinition#sites}
   * @param shards the number of shards; 0 for a cache without shards
   */
  public record DefinitionBackup(
      String mode,
      List<String> replicas,
      int shards,
      long deadlineMillis,
      int maxValueBytes,
      String acknowledgement,
      long tombstoneGraceMillis,
      int windowWrites,
      long windowAgeMillis,
      int siblings,
      String privacy) {

    public DefinitionBackup {
      replicas = List.copyOf(replicas);
    }
  }

  /**
   * A cache.
   *
   * @param creation identifies this creation of a cache of that name
   * @param begun when its copy began
   * @param ended when its copy ended
   * @param consistency of its entries
   */
  public record CacheBackup(
      String name,
      String creation,
      DefinitionBackup definition,
      String begun,
      String ended,
      BackupConsistency consistency,
      long entries,
      List<BackupFile> files,
      List<VersionedBackup> versioned) {

    public CacheBackup {
      files = List.copyOf(files);
      versioned = List.copyOf(versioned);
    }

    /** All its files. */
    public Stream<BackupFile> allFiles() {
      return Stream.concat(files.stream(), versioned.stream().flatMap(one -> one.files().stream()));
    }
  }

  /**
   * A versioned cache on a cache.
   *
   * @param settings of the cache, on which its processes must agree
   * @param cut the version as of which all keys were copied, in hexadecimal digits; null if each
   *     key was copied at a moment of its own
   * @param keysAfterCut the number of keys whose versions up to the cut were removed, by retention
   *     or compaction, before they were read; the versions after it were copied
   */
  public record VersionedBackup(
      String name,
      String settings,
      int mostVersions,
      long mostMillis,
      long leastMillis,
      BackupConsistency consistency,
      @Nullable String cut,
      long keysAfterCut,
      long keys,
      long versions,
      List<BackupFile> files) {

    public VersionedBackup {
      files = List.copyOf(files);
    }
  }

  /** A distributed cache without shards. */
  public record DistributionBackup(
      String name,
      List<String> parts,
      String partitioner,
      Map<String, String> settings,
      boolean frontier) {

    public DistributionBackup {
      parts = List.copyOf(parts);
      settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    }
  }

  /** The manifest of the same run with these caches. */
  public BackupManifest with(List<CacheBackup> copied) {
    return new BackupManifest(
        format,
        complete,
        program,
        federation,
        begun,
        ended,
        runs,
        runId,
        selection,
        excluded,
        copied,
        distributed);
  }

  /** The manifest of a run that has copied all caches. */
  public BackupManifest ended(String time) {
    return ended(time, false);
  }

  /** The manifest of the complete backup, of one that ended. */
  BackupManifest completed() {
    return ended(Objects.requireNonNull(ended), true);
  }

  private BackupManifest ended(String time, boolean completed) {
    return new BackupManifest(
        format,
        completed,
        program,
        federation,
        begun,
        time,
        runs,
        runId,
        selection,
        excluded,
        caches,
        distributed);
  }

  /** The cache of that name, if it was copied. */
  public Optional<CacheBackup> cache(String name) {
    return caches.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** All files of records. */
  public Stream<BackupFile> allFiles() {
    return caches.stream().flatMap(CacheBackup::allFiles);
  }
}
