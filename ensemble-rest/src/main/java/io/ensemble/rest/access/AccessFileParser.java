package io.ensemble.rest.access;

import io.ensemble.rest.access.AccessSettings.AuditTo;
import io.ensemble.rest.access.AccessSettings.Tokens;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.identity.ClientCertificates;
import io.ensemble.rest.identity.JwtRules;
import io.ensemble.rest.identity.ReloadingFile;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads an access file. Relative names of files in it are relative to its directory. */
public final class AccessFileParser {

  private static final Logger LOG = LoggerFactory.getLogger(AccessFileParser.class);
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);
  private static final int MOST = 256;
  private static final long LARGEST_AUDIT = 1L << 40;
  private static final long AUDIT_BYTES = 64L << 20;
  private static final int AUDIT_FILES = 8;

  private final Path file;

  private AccessFileParser(Path file) {
    this.file = file;
  }

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if the file is invalid; the message names the file and the
   *     field
   */
  public static AccessSettings read(Path file) {
    try {
      return new AccessFileParser(file).settings(ReloadingFile.bytes(file));
    } catch (ProblemException e) {
      throw new IllegalArgumentException(
          "invalid access file; file=%s field=%s: %s"
              .formatted(
                  file, e.problem().members().getOrDefault("field", "-"), e.problem().detail()),
          e);
    }
  }

  private AccessSettings settings(byte[] json) {
    JsonFields all =
        JsonFields.of(
            json,
            "policy",
            "tls",
            "clearText",
            "clientCertificates",
            "jwt",
            "users",
            "tokens",
            "hosts",
            "origins",
            "audit",
            "sites",
            "siteSecrets",
            "requestsPerCaller");
    Optional<JsonFields> secrets = all.object("siteSecrets", "files", "variables");
    Optional<JsonFields> clients = all.object("clientCertificates", "trust", "needed", "name");
    Optional<ServiceTls> tls =
        all.object("tls", "keyStore", "password", "certificate", "key")
            .map(one -> new ServiceTls(keys(one), clients.map(this::trust), needed(clients)));
    if (clients.isPresent() && tls.isEmpty()) {
      throw Problem.invalid("clientCertificates", "also 'tls'", "none");
    }
    Optional<Path> users = all.text("users").map(this::secretPath);
    if (users.isPresent() && tls.isEmpty()) {
      throw Problem.invalid("users", "also 'tls', because passwords require TLS", "none");
    }
    return new AccessSettings(
        path(all.needed("policy")),
        tls,
        all.flag("clearText").orElse(false),
        clients.map(
            one -> one.choice("name", ClientCertificates.class).orElse(ClientCertificates.SUBJECT)),
        all.object(
                "jwt",
                "issuer",
                "audiences",
                "keys",
                "clearTextKeys",
                "trust",
                "algorithms",
                "skewSeconds",
                "name",
                "marks")
            .map(this::jwt),
        users,
        tokens(all),
        Set.copyOf(all.texts("hosts", MOST).orElse(List.of())),
        Set.copyOf(all.texts("origins", MOST).orElse(List.of())),
        all.object("audit", "file", "mostBytes", "files").map(this::audit),
        all.texts("sites", MOST).map(AccessFileParser::sites),
        Set.copyOf(named(secrets, "files").stream().map(name -> path(name).toString()).toList()),
        Set.copyOf(named(secrets, "variables")),
        all.integer("requestsPerCaller", 1, 1 << 20).orElse(AccessSettings.REQUESTS_PER_CALLER));
  }

  private static List<String> named(Optional<JsonFields> secrets, String kind) {
    return secrets.flatMap(all -> all.texts(kind, MOST)).orElse(List.of());
  }

  private static AddressPolicy sites(List<String> rules) {
    try {
      return AddressPolicy.allowing(rules);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("sites", String.valueOf(e.getMessage()), "another value");
    }
  }

  private Path path(String name) {
    return file.toAbsolutePath().resolveSibling(name).normalize();
  }

  /** The path of a secret, which only its owner should be able to read. */
  private Path secretPath(String name) {
    Path secret = path(name);
    try {
      if (!Collections.disjoint(Files.getPosixFilePermissions(secret), OTHERS)) {
        LOG.warn(
            "a secret file can be read or changed by other users of this machine; file={}", secret);
      }
    } catch (IOException | UnsupportedOperationException unknown) {
      // The reader of the file reports the error.
    }
    return secret;
  }

  private Path trust(JsonFields clients) {
    return path(clients.needed("trust"));
  }

  private static boolean needed(Optional<JsonFields> clients) {
    return clients.flatMap(one -> one.flag("needed")).orElse(false);
  }

  private PrivateKeySource keys(JsonFields tls) {
    if (tls.has("keyStore") == tls.has("certificate")) {
      throw Problem.invalid(
          tls.full("keyStore"), "either 'keyStore', or 'certificate' and 'key'", "both or neither");
    }
    if (tls.has("certificate")) {
      return new PrivateKeySource.PemFiles(
          path(tls.needed("certificate")), secretPath(tls.needed("key")));
    }
    JsonFields password =
        tls.object("password", "file", "variable")
            .orElseThrow(
                () -> Problem.invalid(tls.full("password"), "a file or a variable", "nothing"));
    return new PrivateKeySource.Pkcs12(secretPath(tls.needed("keyStore")), secret(password));
  }

  private Supplier<char[]> secret(JsonFields where) {
    if (where.has("file") == where.has("variable")) {
      throw Problem.invalid(where.full("file"), "either a file or a variable", "both or neither");
    }
    return where
        .text("file")
        .map(name -> Secret.inFile(secretPath(name)))
        .orElseGet(() -> Secret.inVariable(where.needed("variable")));
  }

  private Tokens jwt(JsonFields one) {
    JwtRules rules;
    try {
      rules =
          new JwtRules(
              one.needed("issuer"),
              Set.copyOf(one.texts("audiences", MOST).orElse(List.of())),
              Set.copyOf(one.texts("algorithms", MOST).orElse(List.of("RS256", "ES256"))),
              Duration.ofSeconds(
                  one.integer("skewSeconds", 0, (int) JwtRules.LONGEST_SKEW.toSeconds())
                      .orElse(30)),
              one.text("name").orElse("sub"),
              one.texts("marks", MOST).orElse(List.of()));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("jwt", String.valueOf(e.getMessage()), "another value");
    }
    Tokens tokens =
        new Tokens(
            rules,
            one.text("keys"),
            one.flag("clearTextKeys").orElse(false),
            one.text("trust").map(this::path));
    if (tokens.trust().isPresent() && !tokens.areFetched()) {
      throw Problem.invalid(one.full("trust"), "keys from an address", "keys in a file");
    }
    return tokens;
  }

  private Map<String, Supplier<char[]>> tokens(JsonFields all) {
    Map<String, Supplier<char[]>> tokens = new LinkedHashMap<>();
    for (JsonFields one :
        all.objects("tokens", MOST, "name", "file", "variable").orElse(List.of())) {
      if (tokens.put(one.needed("name"), secret(one)) != null) {
        throw Problem.invalid(one.full("name"), "unique names", one.needed("name"));
      }
    }
    return tokens;
  }

  private AuditTo audit(JsonFields one) {
    return new AuditTo(
        path(one.needed("file")),
        one.number("mostBytes", 1 << 10, LARGEST_AUDIT).orElse(AUDIT_BYTES),
        one.integer("files", 1, MOST).orElse(AUDIT_FILES));
  }
}
