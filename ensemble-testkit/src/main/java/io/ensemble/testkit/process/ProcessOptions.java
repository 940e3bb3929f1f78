package io.ensemble.testkit.process;

import io.ensemble.testkit.link.WanProfile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The sites to start, and their options.
 *
 * @param library the class path of the nodes
 * @param directory the directory for data and logs of the nodes; created if absent
 * @param siteNames distinct names, one for each site; the first is the local one
 * @param nodesPerSite 1 or more; a site of two nodes does not survive the loss of one
 * @param persistent whether sites keep their caches and entries in {@code directory}
 * @param diskReserveBytes the free disk space that nodes of persistent sites require: with less
 *     they answer no client, until half as much again is free; 0 for no such check
 * @param wan the emulated network to every site but the local one
 * @param relays whether a relay is in front of every node, the local ones included, so that its
 *     link can fail; unless {@code wan} is empty, there is one in any case
 * @param security the requirements for clients and nodes; keys are kept in {@code directory}
 * @param heapMegabytes the heap of each node
 * @param javaOptions more options for each node's JVM
 * @param progress receives a short line for each site that has started or stopped, from several
 *     threads
 */
public record ProcessOptions(
    ServerLibrary library,
    Path directory,
    List<String> siteNames,
    int nodesPerSite,
    boolean persistent,
    long diskReserveBytes,
    WanProfile wan,
    boolean relays,
    ProcessSecurity security,
    int heapMegabytes,
    List<String> javaOptions,
    Consumer<String> progress) {

  /** The default free disk space that nodes on disk require. */
  public static final long DEFAULT_DISK_RESERVE_BYTES = 256L << 20;

  private static final Pattern SITE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");
  private static final int DEFAULT_HEAP_MEGABYTES = 384;
  private static final int SMALLEST_HEAP_MEGABYTES = 128;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public ProcessOptions {
    directory = directory.toAbsolutePath().normalize();
    siteNames = List.copyOf(siteNames);
    javaOptions = List.copyOf(javaOptions);
    if (siteNames.isEmpty() || new HashSet<>(siteNames).size() != siteNames.size()) {
      throw new IllegalArgumentException(
          "site names must be distinct, and at least one is required: " + siteNames);
    }
    for (String name : siteNames) {
      if (!SITE_NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("site name must be letters, digits and dashes: " + name);
      }
    }
    if (nodesPerSite < 1) {
      throw new IllegalArgumentException("a site requires at least one node: " + nodesPerSite);
    }
    if (diskReserveBytes < 0) {
      throw new IllegalArgumentException(
          "a disk reserve must be 0 bytes or more; got " + diskReserveBytes);
    }
    if (heapMegabytes < SMALLEST_HEAP_MEGABYTES) {
      throw new IllegalArgumentException(
          "heap of a node must be at least %d MB; got %d"
              .formatted(SMALLEST_HEAP_MEGABYTES, heapMegabytes));
    }
  }

  /**
   * Sites lyon, oslo and rome of three nodes each in {@code directory}, in memory, without network
   * delay and without progress lines.
   */
  public static ProcessOptions in(Path directory, ServerLibrary library) {
    return new ProcessOptions(
        library,
        directory,
        List.of("lyon", "oslo", "rome"),
        3,
        false,
        DEFAULT_DISK_RESERVE_BYTES,
        WanProfile.NONE,
        false,
        ProcessSecurity.OPEN,
        DEFAULT_HEAP_MEGABYTES,
        List.of(),
        line -> {});
  }

  public ProcessOptions withSiteNames(List<String> names) {
    return with(draft -> draft.siteNames = names);
  }

  public ProcessOptions withNodesPerSite(int count) {
    return with(draft -> draft.nodesPerSite = count);
  }

  public ProcessOptions withPersistence(boolean wanted) {
    return with(draft -> draft.persistent = wanted);
  }

  public ProcessOptions withDiskReserve(long bytes) {
    return with(draft -> draft.diskReserveBytes = bytes);
  }

  public ProcessOptions withWan(WanProfile wanted) {
    return with(draft -> draft.wan = wanted);
  }

  public ProcessOptions withRelays(boolean wanted) {
    return with(draft -> draft.relays = wanted);
  }

  public ProcessOptions withSecurity(ProcessSecurity wanted) {
    return with(draft -> draft.security = wanted);
  }

  public ProcessOptions withHeapMegabytes(int megabytes) {
    return with(draft -> draft.heapMegabytes = megabytes);
  }

  public ProcessOptions withJavaOptions(List<String> more) {
    return with(draft -> draft.javaOptions = more);
  }

  public ProcessOptions withProgress(Consumer<String> listener) {
    return with(draft -> draft.progress = listener);
  }

  private ProcessOptions with(Consumer<OptionsDraft> change) {
    OptionsDraft draft = new OptionsDraft(this);
    change.accept(draft);
    return new ProcessOptions(
        library,
        directory,
        draft.siteNames,
        draft.nodesPerSite,
        draft.persistent,
        draft.diskReserveBytes,
        draft.wan,
        draft.relays,
        draft.security,
        draft.heapMegabytes,
        draft.javaOptions,
        draft.progress);
  }

  /** A copy of the options in which one is changed. */
  private static final class OptionsDraft {
    private List<String> siteNames;
    private int nodesPerSite;
    private boolean persistent;
    private long diskReserveBytes;
    private WanProfile wan;
    private boolean relays;
    private ProcessSecurity security;
    private int heapMegabytes;
    private List<String> javaOptions;
    private Consumer<String> progress;

    OptionsDraft(ProcessOptions options) {
      siteNames = options.siteNames;
      nodesPerSite = options.nodesPerSite;
      persistent = options.persistent;
      diskReserveBytes = options.diskReserveBytes;
      wan = options.wan;
      relays = options.relays;
      security = options.security;
      heapMegabytes = options.heapMegabytes;
      javaOptions = options.javaOptions;
      progress = options.progress;
    }
  }
}
