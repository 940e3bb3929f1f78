/**
 * The audit: one line of JSON for each change and for each refused caller, written by {@link
 * io.ensemble.rest.audit.Audit}. The lines never contain values, keys, tokens or passwords.
 */
@NullMarked
package io.ensemble.rest.audit;

import org.jspecify.annotations.NullMarked;
