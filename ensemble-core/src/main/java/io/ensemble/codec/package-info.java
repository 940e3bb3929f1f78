/**
 * Keys and values as bytes: ProtoStream's messages, with short forms for strings and byte arrays.
 * Each value has one encoding, so that equal keys lead to the same entry.
 */
@NullMarked
package io.ensemble.codec;

import org.jspecify.annotations.NullMarked;
