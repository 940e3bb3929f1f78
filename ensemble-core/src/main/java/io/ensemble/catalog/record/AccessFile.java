package io.ensemble.catalog.record;

import io.ensemble.site.hotrod.configuration.Secret;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The access to a ZooKeeper as a properties file, with passwords by reference only. Names of files
 * in it are relative to the file.
 */
public final class AccessFile {

  private static final Set<String> KNOWN =
      Set.of(
          "user",
          "password_file",
          "password_env",
          "sasl",
          "trust_store",
          "trust_store_password_file",
          "trust_store_password_env",
          "key_store",
          "key_store_password_file",
          "key_store_password_env");

  private final Path file;
  private final Properties properties;

  private AccessFile(Path file, Properties properties) {
    this.file = file;
    this.properties = properties;
  }

  /**
   * Applies the settings in the file to {@code open}.
   *
   * @throws IllegalArgumentException naming the file and the error in it
   */
  public static ZooKeeperAccess applied(Path file, ZooKeeperAccess open) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the ZooKeeper access file cannot be read; file=%s why=%s".formatted(file, e), e);
    }
    return new AccessFile(file, properties).apply(open);
  }

  private ZooKeeperAccess apply(ZooKeeperAccess open) {
    Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
    unknown.removeAll(KNOWN);
    if (!unknown.isEmpty()) {
      throw wrong("accepts %s; got %s".formatted(new TreeSet<>(KNOWN), unknown));
    }
    ZooKeeperAccess access = open;
    Optional<String> user = value("user");
    if (user.isPresent()) {
      access = access.withUser(user.get(), secret("password"));
    }
    Optional<String> sasl = value("sasl");
    if (sasl.isPresent()) {
      if (!sasl.get().equals("true") && !sasl.get().equals("false")) {
        throw wrong("requires sasl=true or sasl=false; got " + sasl.get());
      }
      access = sasl.get().equals("true") ? access.withSasl() : access;
    }
    Optional<String> trustStore = value("trust_store");
    if (trustStore.isPresent()) {
      access = access.withTls(beside(trustStore.get()), secret("trust_store_password"));
    }
    Optional<String> keyStore = value("key_store");
    if (keyStore.isPresent()) {
      if (trustStore.isEmpty()) {
        throw wrong("requires a trust_store together with a key_store");
      }
      access = access.withKey(beside(keyStore.get()), secret("key_store_password"));
    }
    return access;
  }

  private Secret secret(String name) {
    @Nullable String inFile = value(name + "_file").orElse(null);
    @Nullable String inVariable = value(name + "_env").orElse(null);
    if (inFile != null && inVariable == null) {
      return Secret.inFile(beside(inFile));
    }
    if (inVariable != null && inFile == null) {
      return Secret.inVariable(inVariable);
    }
    throw wrong("requires either %s_file or %s_env".formatted(name, name));
  }

  private Optional<String> value(String name) {
    return Optional.ofNullable(properties.getProperty(name)).filter(text -> !text.isBlank());
  }

  private Path beside(String other) {
    return file.toAbsolutePath().resolveSibling(other);
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(
        "the ZooKeeper access file %s; file=%s".formatted(what, file));
  }
}
