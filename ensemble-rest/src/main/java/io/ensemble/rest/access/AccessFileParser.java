package io.ensemble.rest.access;

import io.ensemble.rest.access.AccessSettings.AuditTo;
import io.ensemble.rest.access.AccessSettings.Tokens;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.identity.ClientCertificates;
import io.ensemble.rest.identity.JwtRules;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.ReloadingFile;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.SecretFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Reads an access file. Relative names of files in it are relative to its directory. */
public final class AccessFileParser {

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
      return new AccessFileParser(file).readSettings(ReloadingFile.readBytes(file));
    } catch (ProblemException e) {
      throw new IllegalArgumentException(
          "invalid access file; file=%s field=%s: %s"
              .formatted(
                  file, e.problem().members().getOrDefault("field", "-"), e.problem().detail()),
          e);
    }
  }

  private AccessSettings readSettings(byte[] json) {
    JsonFields fields =
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
    Optional<JsonFields> secrets = fields.object("siteSecrets", "files", "variables");
    Optional<JsonFields> clients =
        fields.object("clientCertificates", "trust", "needed", "name", "revocationList");
    Optional<ServiceTls> tls =
        fields
            .object("tls", "keyStore", "password", "certificate", "key")
            .map(
                one ->
                    new ServiceTls(
                        readKeys(one),
                        clients.map(this::resolveTrust),
                        isCertificateNeeded(clients)));
    if (clients.isPresent() && tls.isEmpty()) {
      throw Problem.invalid("clientCertificates", "also 'tls'", "none");
    }
    Optional<Path> users = fields.text("users").map(this::resolveSecret);
    if (users.isPresent() && tls.isEmpty()) {
      throw Problem.invalid("users", "also 'tls', because passwords require TLS", "none");
    }
    return new AccessSettings(
        resolve(fields.needed("policy")),
        tls,
        fields.flag("clearText").orElse(false),
        clients.map(
            one -> one.choice("name", ClientCertificates.class).orElse(ClientCertificates.SUBJECT)),
        clients.flatMap(one -> one.text("revocationList")).map(this::resolve),
        fields
            .object(
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
            .map(this::readJwt),
        users,
        readTokens(fields),
        Set.copyOf(fields.texts("hosts", MOST).orElse(List.of())),
        Set.copyOf(fields.texts("origins", MOST).orElse(List.of())),
        fields.object("audit", "file", "mostBytes", "files").map(this::readAudit),
        fields.texts("sites", MOST).map(AccessFileParser::parseSites),
        Set.copyOf(
            readNames(secrets, "files").stream().map(name -> resolve(name).toString()).toList()),
        Set.copyOf(readNames(secrets, "variables")),
        fields.integer("requestsPerCaller", 1, 1 << 20).orElse(AccessSettings.REQUESTS_PER_CALLER));
  }

  private static List<String> readNames(Optional<JsonFields> secrets, String kind) {
    return secrets.flatMap(fields -> fields.texts(kind, MOST)).orElse(List.of());
  }

  private static AddressPolicy parseSites(List<String> rules) {
    try {
      return AddressPolicy.allowing(rules);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("sites", String.valueOf(e.getMessage()), "another value");
    }
  }

  private Path resolve(String name) {
    return file.toAbsolutePath().resolveSibling(name).normalize();
  }

  /** The path of a secret, which must not be accessible to every user. */
  private Path resolveSecret(String name) {
    try {
      return SecretFiles.check(resolve(name));
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException(
          "invalid access file; file=%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private Path resolveTrust(JsonFields clients) {
    return resolve(clients.needed("trust"));
  }

  private static boolean isCertificateNeeded(Optional<JsonFields> clients) {
    return clients.flatMap(fields -> fields.flag("needed")).orElse(false);
  }

  private PrivateKeySource readKeys(JsonFields tls) {
    if (tls.has("keyStore") == tls.has("certificate")) {
      throw Problem.invalid(
          tls.fullName("keyStore"),
          "either 'keyStore', or 'certificate' and 'key'",
          "both or neither");
    }
    if (tls.has("certificate")) {
      return new PrivateKeySource.PemFiles(
          resolve(tls.needed("certificate")), resolveSecret(tls.needed("key")));
    }
    JsonFields password =
        tls.object("password", "file", "variable")
            .orElseThrow(
                () -> Problem.invalid(tls.fullName("password"), "a file or a variable", "nothing"));
    return new PrivateKeySource.Pkcs12(resolveSecret(tls.needed("keyStore")), readSecret(password));
  }

  private Supplier<char[]> readSecret(JsonFields reference) {
    if (reference.has("file") == reference.has("variable")) {
      throw Problem.invalid(
          reference.fullName("file"), "either a file or a variable", "both or neither");
    }
    return reference
        .text("file")
        .map(name -> Secret.inFile(resolveSecret(name)))
        .orElseGet(() -> Secret.inVariable(reference.needed("variable")));
  }

  private Tokens readJwt(JsonFields fields) {
    JwtRules rules;
    try {
      rules =
          new JwtRules(
              fields.needed("issuer"),
              Set.copyOf(fields.texts("audiences", MOST).orElse(List.of())),
              Set.copyOf(fields.texts("algorithms", MOST).orElse(List.of("RS256", "ES256"))),
              Duration.ofSeconds(
                  fields
                      .integer("skewSeconds", 0, (int) JwtRules.LONGEST_SKEW.toSeconds())
                      .orElse(30)),
              fields.text("name").orElse("sub"),
              fields.texts("marks", MOST).orElse(List.of()));
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("jwt", String.valueOf(e.getMessage()), "another value");
    }
    Tokens tokens =
        new Tokens(
            rules,
            fields.text("keys"),
            fields.flag("clearTextKeys").orElse(false),
            fields.text("trust").map(this::resolve));
    if (tokens.trust().isPresent() && !tokens.areFetched()) {
      throw Problem.invalid(fields.fullName("trust"), "keys from an address", "keys in a file");
    }
    return tokens;
  }

  private Map<String, Supplier<char[]>> readTokens(JsonFields fields) {
    Map<String, Supplier<char[]>> tokens = new LinkedHashMap<>();
    for (JsonFields tokenFields :
        fields.objects("tokens", MOST, "name", "file", "variable").orElse(List.of())) {
      if (tokens.put(tokenFields.needed("name"), readSecret(tokenFields)) != null) {
        throw Problem.invalid(
            tokenFields.fullName("name"), "unique names", tokenFields.needed("name"));
      }
    }
    return tokens;
  }

  private AuditTo readAudit(JsonFields fields) {
    return new AuditTo(
        resolve(fields.needed("file")),
        fields.number("mostBytes", 1 << 10, LARGEST_AUDIT).orElse(AUDIT_BYTES),
        fields.integer("files", 1, MOST).orElse(AUDIT_FILES));
  }
}
