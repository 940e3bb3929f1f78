/**
 * What was changed and who was refused: one line of JSON for each, by {@link
 * io.ensemble.rest.audit.Audit}. Never values, keys, tokens or passwords.
 */
@NullMarked
package io.ensemble.rest.audit;

import org.jspecify.annotations.NullMarked;
