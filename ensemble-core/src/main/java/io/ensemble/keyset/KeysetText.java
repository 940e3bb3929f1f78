package io.ensemble.keyset;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.subtle.AesGcmJce;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A keyset as text. The text is a JSON object with Tink's JSON keysets {@code values} and, if there
 * is a key for names, {@code names}. In an encrypted keyset, the object has one field {@code
 * encrypted}: that text encrypted with AES-256-GCM under a wrapping key of 32 bytes, in Base64.
 */
final class KeysetText {

  private static final byte[] ASSOCIATED = "ensemble-keyset-1".getBytes(StandardCharsets.UTF_8);
  private static final String ENCRYPTED = "encrypted";

  private KeysetText() {}

  /** Whether the text is encrypted; fails with {@link KeysetException} if it is not a keyset. */
  static boolean isWrapped(String text, String where) {
    return object(text, where).has(ENCRYPTED);
  }

  /**
   * The keyset in {@code text}.
   *
   * @param where the place, for messages
   * @param wrapping supplies the wrapping key in Base64; called for an encrypted text only
   * @throws KeysetException if the text is not a keyset
   */
  static Keyset read(String text, String where, Supplier<String> wrapping) {
    JsonObject found = object(text, where);
    if (found.has(ENCRYPTED)) {
      found = object(unwrapped(found.get(ENCRYPTED), where, wrapping.get()), where);
    }
    if (!found.has("values")) {
      throw new KeysetException("the keyset has no keys for values; " + where);
    }
    return Keyset.of(
        handle(found.get("values"), where),
        found.has("names") ? handle(found.get("names"), where) : null);
  }

  /** The text of {@code keyset}, encrypted if a wrapping key is given. */
  static String write(Keyset keyset, @Nullable String wrapping) {
    try {
      JsonObject written = new JsonObject();
      written.add("values", json(keyset.values()));
      KeysetHandle names = keyset.names().orElse(null);
      if (names != null) {
        written.add("names", json(names));
      }
      if (wrapping == null) {
        return written + "\n";
      }
      JsonObject wrapped = new JsonObject();
      byte[] sealed =
          cipher(wrapping).encrypt(written.toString().getBytes(StandardCharsets.UTF_8), ASSOCIATED);
      wrapped.addProperty(ENCRYPTED, Base64.getEncoder().encodeToString(sealed));
      return wrapped + "\n";
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("the keyset cannot be written", impossible);
    }
  }

  private static JsonElement json(KeysetHandle handle) throws GeneralSecurityException {
    return JsonParser.parseString(
        TinkJsonProtoKeysetFormat.serializeKeyset(handle, InsecureSecretKeyAccess.get()));
  }

  private static KeysetHandle handle(JsonElement json, String where) {
    try {
      Keyset.register();
      return TinkJsonProtoKeysetFormat.parseKeyset(json.toString(), InsecureSecretKeyAccess.get());
    } catch (GeneralSecurityException | RuntimeException wrong) {
      // Neither message nor cause is kept, because a later version of Tink might include the
      // content.
      throw new KeysetException("the keyset is not in the JSON format of Tink; " + where);
    }
  }

  private static String unwrapped(JsonElement sealed, String where, String wrapping) {
    try {
      byte[] bytes = Base64.getDecoder().decode(sealed.getAsString());
      return new String(cipher(wrapping).decrypt(bytes, ASSOCIATED), StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | RuntimeException wrong) {
      throw new KeysetException(
          "an encrypted keyset requires its wrapping key, 32 bytes in Base64; " + where);
    }
  }

  private static AesGcmJce cipher(String wrapping) throws GeneralSecurityException {
    byte[] key;
    try {
      key = Base64.getDecoder().decode(wrapping.trim());
    } catch (IllegalArgumentException wrong) {
      throw new KeysetException("wrapping key must be 32 bytes in Base64");
    }
    if (key.length != 32) {
      throw new KeysetException("wrapping key must be 32 bytes in Base64; bytes=" + key.length);
    }
    return new AesGcmJce(key);
  }

  private static JsonObject object(String text, String where) {
    try {
      return JsonParser.parseString(text).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException wrong) {
      throw new KeysetException("a keyset must be a JSON object; " + where);
    }
  }
}
