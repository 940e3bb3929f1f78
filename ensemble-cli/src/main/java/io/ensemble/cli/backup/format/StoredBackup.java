package io.ensemble.cli.backup.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A backup in a store. While it is made, its manifest is {@value #PARTIAL}, which is replaced after
 * each cache. When it has the time of the end, {@value #MANIFEST} is written from it, then its
 * digest.
 */
public final class StoredBackup {

  /** The manifest of a complete backup. */
  public static final String MANIFEST = "manifest.json";

  /** The manifest of a backup that is not complete. */
  public static final String PARTIAL = "manifest.partial.json";

  /** The digest of the manifest, as {@code sha256sum} writes it. */
  static final String DIGEST = MANIFEST + ".sha256";

  private static final Pattern OF_CACHE = Pattern.compile("cache-[0-9]{4,9}(-run-[0-9]+)?/.*");

  private static final ObjectMapper JSON = JsonOutput.mapper();

  private final BackupStore store;

  public StoredBackup(BackupStore store) {
    this.store = store;
  }

  /** Where the backup is. */
  public BackupStore store() {
    return store;
  }

  /** Whether the backup is complete; its last steps may be missing. */
  public boolean isComplete() {
    return read(MANIFEST, () -> store.size(MANIFEST)).isPresent();
  }

  /**
   * Whether the store holds no file, except those of a run that ended before its first manifest.
   */
  public boolean isEmpty() {
    try (Stream<String> names = read("", store::names)) {
      return names.allMatch(store::isTemporary);
    }
  }

  /**
   * The manifest, also of a backup that is not complete.
   *
   * @throws BackupException if there is none, or it is damaged
   */
  public BackupManifest loadAny() {
    return isComplete() && read(DIGEST, () -> store.size(DIGEST)).isPresent()
        ? load()
        : loadPartial().orElseGet(this::load);
  }

  /**
   * The manifest of a complete backup.
   *
   * @throws UnknownBackupFormatException if it has another format
   * @throws BackupException if there is none, it is not complete, or it is damaged
   */
  public BackupManifest load() {
    Optional<byte[]> bytes = loaded(MANIFEST);
    Optional<byte[]> digest = loaded(DIGEST);
    if (bytes.isEmpty() || digest.isEmpty()) {
      if (loaded(PARTIAL).isPresent()) {
        throw new BackupException(
            "the backup is not complete: continue it with 'backup create --resume'; "
                + store.location());
      }
      bytes = loaded(MANIFEST); // A run may have completed the backup between the reads.
      digest = loaded(DIGEST);
      if (bytes.isEmpty()) {
        throw new BackupException(
            "there is no backup: %s is missing; %s".formatted(MANIFEST, store.location()));
      }
    }
    BackupManifest manifest = parse(MANIFEST, bytes.get());
    String expected = digest.map(found -> new String(found, UTF_8)).orElse("");
    if (!expected.startsWith(FileDigest.of(bytes.get()) + " ")) {
      throw new BackupException(
          "the manifest is damaged: its SHA-256 is not that of %s; %s"
              .formatted(DIGEST, store.location()));
    }
    return manifest;
  }

  /** The manifest of a backup that is not complete, if there is one. */
  public Optional<BackupManifest> loadPartial() {
    return loaded(PARTIAL).map(bytes -> parse(PARTIAL, bytes));
  }

  private Optional<byte[]> loaded(String name) {
    return read(name, () -> store.load(name));
  }

  /** Reads the version of the format before any other field. */
  private BackupManifest parse(String name, byte[] bytes) {
    String where = store.location(name);
    try {
      JsonNode tree = JSON.readTree(bytes);
      JsonNode format = tree == null ? null : tree.get("format");
      if (format == null || !format.isInt()) {
        throw new BackupException("not the manifest of a backup: it has no format; " + where);
      }
      if (format.asInt() != BackupManifest.FORMAT) {
        throw new UnknownBackupFormatException(where, format.asText());
      }
      return JSON.treeToValue(tree, BackupManifest.class);
    } catch (JsonProcessingException | IllegalArgumentException | NullPointerException e) {
      throw new BackupException("the manifest is damaged; " + where, e);
    } catch (IOException e) {
      throw unreadable(where, e);
    }
  }

  /** Begins a run that writes; see {@link BackupStore#claim}. */
  public void claim() {
    write("", store::claim);
  }

  /** Writes the manifest of a backup that is not complete. */
  public void savePartial(BackupManifest manifest) {
    write(PARTIAL, () -> store.save(PARTIAL, json(manifest)));
  }

  /**
   * Completes the backup, and removes what is not part of it. The backup is complete for certain
   * once the partial manifest has the time of the end: the steps after it can be repeated, by this
   * run and by others. A run that another one has taken over fails before.
   *
   * @param ended the manifest of a run that has copied all caches
   * @return the manifest of the complete backup
   */
  public BackupManifest complete(BackupManifest ended) {
    savePartial(ended);
    return finish(ended);
  }

  private BackupManifest finish(BackupManifest ended) {
    BackupManifest manifest = ended.completed();
    if (loaded(MANIFEST).isEmpty()) {
      write(MANIFEST, () -> store.save(MANIFEST, json(manifest)));
    }
    removeRest(manifest);
    return manifest;
  }

  /** Removes the manifest of a backup that is not complete. */
  public void removePartial() {
    write(PARTIAL, () -> store.delete(PARTIAL));
  }

  /** The manifest of a run of which only the last steps are missing; empty for all others. */
  public Optional<BackupManifest> interrupted() {
    Optional<BackupManifest> partial = loadPartial();
    Optional<BackupManifest> complete = loaded(MANIFEST).map(bytes -> parse(MANIFEST, bytes));
    return partial.isEmpty()
        ? Optional.empty()
        : complete.or(() -> partial.filter(one -> one.ended() != null));
  }

  /**
   * Does the last steps of a run that was interrupted after all caches were copied.
   *
   * @return the manifest of the complete backup; empty if there is nothing to do, or no longer
   */
  public Optional<BackupManifest> finishInterrupted() {
    if (interrupted().isEmpty()) {
      return Optional.empty();
    }
    claim();
    return interrupted().map(this::finish); // Another run may have finished it before the claim.
  }

  /** Writes the digest of the manifest that is stored, then removes all other files. */
  private void removeRest(BackupManifest manifest) {
    if (loaded(DIGEST).isEmpty()) {
      byte[] json = loaded(MANIFEST).orElseThrow();
      byte[] digest = (FileDigest.of(json) + "  " + MANIFEST + "\n").getBytes(UTF_8);
      write(DIGEST, () -> store.save(DIGEST, digest));
    }
    removeUnlisted(manifest);
    removePartial();
  }

  private static byte[] json(BackupManifest manifest) {
    try {
      return JSON.writeValueAsBytes(manifest);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a manifest has plain values", e);
    }
  }

  /**
   * The beginning of the names of a cache's files. No two runs use the same, so that an object that
   * a former run writes late is not taken for one of this run.
   *
   * @param run the number of the run, from 1; see {@link BackupManifest#runs}
   * @param number the number of the cache in this run, from 1
   */
  public static String directory(int run, int number) {
    String name = "cache-%04d".formatted(number);
    return run == 1 ? name : "%s-run-%d".formatted(name, run);
  }

  /** Removes the files of caches that the manifest does not list, of a run that was interrupted. */
  public void removeUnlisted(BackupManifest manifest) {
    write("", store::removeIncomplete);
    Set<String> listed = new HashSet<>();
    manifest.allFiles().forEach(file -> listed.add(file.name()));
    List<String> unlisted;
    try (Stream<String> names = read("", store::names)) {
      unlisted =
          names
              .filter(name -> OF_CACHE.matcher(name).matches() || store.isTemporary(name))
              .filter(name -> !listed.contains(name))
              .toList();
    }
    unlisted.forEach(name -> write(name, () -> store.delete(name)));
  }

  /** Removes files that turned out not to belong to the backup. */
  public void remove(List<BackupFile> files) {
    files.forEach(file -> write(file.name(), () -> store.delete(file.name())));
  }

  /** A call of a store that reads. */
  interface StoreRead<T> {
    T get() throws IOException;
  }

  /** A call of a store that writes. */
  interface StoreWrite {
    void run() throws IOException;
  }

  private <T> T read(String name, StoreRead<T> call) {
    try {
      return call.get();
    } catch (IOException e) {
      throw unreadable(where(name), e);
    }
  }

  private void write(String name, StoreWrite call) {
    try {
      call.run();
    } catch (IOException e) {
      throw unwritable(where(name), e);
    }
  }

  private String where(String name) {
    return name.isEmpty() ? store.location() : store.location(name);
  }

  static BackupException unwritable(String where, IOException cause) {
    return new BackupException(
        "cannot write the backup: %s; %s; correct it, then continue with --resume"
            .formatted(reason(cause), where),
        cause);
  }

  static BackupException unreadable(String where, IOException cause) {
    return new BackupException(
        "cannot read the backup: %s; %s".formatted(reason(cause), where), cause);
  }

  private static String reason(IOException cause) {
    String what =
        cause instanceof FileSystemException e && e.getReason() != null
            ? e.getReason()
            : cause.getMessage();
    String type = cause.getClass().getSimpleName();
    return cause instanceof FileSystemException || what == null ? type + " " + what : what;
  }
}
