package io.ensemble.cli.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.federation.SiteDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that this user can read and that the configuration of a federation refers to, so that
 * a bundle can be searched for them. A file that cannot be read has nothing to be found.
 */
final class SecretFinder {

  private static final int LARGEST_FILE_BYTES = 64 << 10;
  private static final String ACCESS = "?access=";

  private final Map<String, String> environment;
  private final Set<String> secrets = new LinkedHashSet<>();

  /**
   * @param environment the environment variables of this process
   */
  SecretFinder(Map<String, String> environment) {
    this.environment = environment;
  }

  /** The secrets found so far. */
  Set<String> secrets() {
    return Set.copyOf(secrets);
  }

  /** Adds the passwords of a site. */
  void addSite(SiteDescriptor site) {
    if (site.credentials() != null) {
      addFile(site.credentials().passwordFile());
      addVariable(site.credentials().passwordEnv());
    }
    if (site.tls() != null) {
      addFile(site.tls().passwordFile());
      addVariable(site.tls().passwordEnv());
      addFile(site.tls().keyStorePasswordFile());
      addVariable(site.tls().keyStorePasswordEnv());
    }
  }

  /** Adds the passwords that the access file of a catalog's address refers to. */
  void addCatalog(String address) {
    int at = address.indexOf(ACCESS);
    if (at < 0) {
      return;
    }
    Path file = Path.of(address.substring(at + ACCESS.length()));
    Properties access = new Properties();
    try (var in = Files.newBufferedReader(file, UTF_8)) {
      access.load(in);
    } catch (IOException | IllegalArgumentException unreadable) {
      return;
    }
    for (String name : access.stringPropertyNames()) {
      String value = access.getProperty(name);
      if (name.endsWith("password_file")) {
        addFile(file.resolveSibling(value).toString());
      } else if (name.endsWith("password_env")) {
        addVariable(value);
      } else if (name.endsWith("password")) { // Refused, and a secret.
        secrets.add(value);
      }
    }
  }

  /** Adds the first line of a token file. */
  void addFile(@Nullable String name) {
    if (name == null) {
      return;
    }
    try {
      Path file = Path.of(name);
      if (Files.isRegularFile(file) && Files.size(file) <= LARGEST_FILE_BYTES) {
        String text = Files.readString(file, UTF_8).strip();
        secrets.add(text);
        text.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(secrets::add);
      }
    } catch (IOException | IllegalArgumentException unreadable) {
      // No secret of a file that this user cannot read is in what this user can collect.
    }
  }

  /** Adds the files of a directory of keys whose names say that they hold a secret. */
  void addDirectory(Path directory) {
    try (Stream<Path> all = Files.walk(directory, 3)) {
      List<Path> files = new ArrayList<>(all.filter(Files::isRegularFile).toList());
      files.removeIf(file -> !file.toString().endsWith(".password"));
      files.forEach(file -> addFile(file.toString()));
    } catch (IOException | UncheckedIOException unreadable) {
      // As for a file.
    }
  }

  private void addVariable(@Nullable String name) {
    if (name != null) {
      secrets.add(Objects.requireNonNullElse(environment.get(name), "").strip());
    }
  }
}
