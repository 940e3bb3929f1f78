package io.ensemble.check.federation;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.zookeeper.ZooKeeperNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file by which commands find a federation. The command {@code up} writes and changes the file
 * in one step. The process that runs the federation holds a lock next to it, which the operating
 * system releases with the process. So two federations never share a file, and the file of a killed
 * one is recognized as stale. A file without a process was written by a user, and is never changed.
 * Thread-safe.
 */
public final class FederationFile {

  /** The environment variable that names another file. */
  public static final String VARIABLE = "ENSEMBLE_FEDERATION";

  private final Path file;

  private FederationFile(Path file) {
    this.file = file.toAbsolutePath().normalize();
  }

  /** The given file. */
  public static FederationFile at(Path file) {
    return new FederationFile(file);
  }

  /**
   * The file {@code given}, else the one that {@code variable} names, else the default file of the
   * user.
   */
  public static FederationFile choose(@Nullable Path given, @Nullable String variable) {
    if (given != null) {
      return at(given);
    }
    return variable != null && !variable.isBlank()
        ? at(Path.of(variable))
        : at(Path.of(System.getProperty("user.home"), ".ensemble", "federation.json"));
  }

  /** The path of the file. */
  public Path path() {
    return file;
  }

  /** The log file of the federation. */
  public Path log() {
    return siblingFile(".log");
  }

  /** The file with the token of its REST service while that runs. */
  public Path restToken() {
    return siblingFile(".rest-token");
  }

  /** The file with the token of a separate REST service, which process {@code pid} runs. */
  public Path restToken(long pid) {
    return siblingFile(".rest-" + pid + ".token");
  }

  /** The log file of a separate REST service. */
  public Path restLog() {
    return siblingFile(".rest.log");
  }

  /** The audit log of all its REST services, which records changes. */
  public Path restAudit() {
    return siblingFile(".rest-audit");
  }

  /** The log file of a site that joined its federation. */
  public Path logOf(String site) {
    return siblingFile("." + site + ".log");
  }

  /** The directory for the files of the nodes of such a site; it stays, and is reused. */
  public Path scratchOf(String site) {
    return siblingFile("." + site + ".nodes");
  }

  /**
   * The running federation.
   *
   * @throws CommandException if there is none, or its file cannot be read
   */
  public FederationDescriptor read() {
    FederationDescriptor state = parse();
    if (!state.runs()) {
      throw new CommandException(
          "the federation of %s has crashed (process %d does not exist); run 'ensemble up'"
              .formatted(file, state.pid()));
    }
    return state;
  }

  private FederationDescriptor parse() {
    try {
      return new FederationFileParser(file)
          .read(Files.readAllBytes(file), siblingFile(".definitions"));
    } catch (NoSuchFileException e) {
      throw new CommandException(
          "no federation is running (no file " + file + "); run 'ensemble up'", e);
    } catch (IOException e) {
      throw new CommandException("cannot read " + file + ": " + e, e);
    }
  }

  /**
   * Claims the file for a federation of this process, and removes the files of an earlier one: its
   * stores no longer exist, so the definitions that name them must be removed as well.
   *
   * @throws CommandException if another federation holds the file, or a user wrote it
   */
  public Claim claim() {
    FileChannel channel = null;
    requireOwnFile();
    try {
      Files.createDirectories(file.getParent());
      channel = FileChannel.open(siblingFile(".lock"), CREATE, WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        throw new CommandException(
            "a federation is running already "
                + "with "
                + file
                + "; stop it, or choose another --federation");
      }
      Claim claim = new Claim(channel);
      claim.clear();
      return claim;
    } catch (IOException e) {
      close(channel);
      throw new CommandException("cannot use " + file + ": " + e, e);
    } catch (RuntimeException e) {
      close(channel);
      throw e;
    }
  }

  private void requireOwnFile() {
    try {
      if (Files.exists(file) && !FederationFileParser.isOurs(Files.readAllBytes(file))) {
        throw new CommandException(
            file
                + " was not written by 'ensemble up', and would be overwritten; delete it, or "
                + "choose another --federation");
      }
    } catch (IOException e) {
      throw new CommandException("cannot use " + file + ": " + e, e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  private static void close(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The lock ends with the process at the latest.
    }
  }

  private Path siblingFile(String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  /** The right to run a federation under this file, until it is closed. */
  public final class Claim implements AutoCloseable {

    private final FileChannel channel;

    private Claim(FileChannel channel) {
      this.channel = channel;
    }

    /** The directory of a catalog that ends with the federation; it may not exist yet. */
    public Path catalog() {
      return siblingFile(".catalog");
    }

    /** A directory for the files of its nodes, mainly logs; it stays, and is reused. */
    Path scratch() {
      return siblingFile(".nodes");
    }

    /**
     * Makes the federation visible to other processes.
     *
     * @param catalog the address of the catalog
     */
    public FederationDescriptor publish(List<SiteDescriptor> sites, String catalog) {
      FederationDescriptor state = FederationDescriptor.ofThisProcess(sites, catalog);
      Path fresh = siblingFile(".new");
      try {
        Files.write(fresh, JsonOutput.mapper().writeValueAsBytes(state));
        Files.move(fresh, file, ATOMIC_MOVE, REPLACE_EXISTING);
        return state;
      } catch (IOException e) {
        throw new CommandException("cannot write " + file + ": " + e, e);
      }
    }

    /** Makes the federation invisible; no other federation can claim the file yet. */
    void hide() {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // Closing tries again, and reports the failure.
      }
    }

    /** Hides the federation. The lock file stays, because its removal could split a lock in two. */
    @Override
    public void close() {
      try {
        clear();
      } catch (IOException e) {
        throw new CommandException("cannot clear " + file + ": " + e, e);
      } finally {
        FederationFile.close(channel);
      }
    }

    private void clear() throws IOException {
      Files.deleteIfExists(file);
      ZooKeeperNode.remove(catalog());
    }
  }
}
