// Package work is what both tools measure: a small Protobuf message decoded so
// many times in one operation. Operations of 100, 101 and 102 times are the same
// machine code, so the ratios of their times are 1.01 and 1.02 by construction.
package work

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Arms are the operations, by name: how many times the message is decoded, and
// a letter that tells identical ones apart.
var Arms = []string{
	"100a", "100b", "100c", "100d", "100e", "100f", "100g", "100h", "100i", "100j", "100k", "100l", "100m",
	"101a", "102a", "200a", "203a",
}

// Times is how many times an arm's operation decodes the message.
func Times(arm string) (int, error) {
	n, err := strconv.Atoi(strings.TrimRight(arm, "abcdefghijklm"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("there is no arm %q", arm)
	}
	return n, nil
}

// Message is the message's bytes. Its number is 1, so that numbers add up to how
// often it was decoded.
func Message() []byte {
	m := &descriptorpb.FieldDescriptorProto{
		Name: proto.String("customer"), Number: proto.Int32(1), JsonName: proto.String("customer"),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
	}
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err) // the message is a constant
	}
	return b
}

// ErrWork says that an operation did not do its work.
var ErrWork = errors.New("the message was not decoded as often as it should have been")

// Repeat is one operation: it decodes the message so many times.
//
//go:noinline
func Repeat(message []byte, times int) error {
	sum := 0
	for range times {
		m := new(descriptorpb.FieldDescriptorProto)
		if err := proto.Unmarshal(message, m); err != nil {
			return err
		}
		sum += int(m.GetNumber())
	}
	if sum != times {
		return ErrWork
	}
	return nil
}

// Operation is one timed operation. It returns what it adds to a batch's
// checksum.
type Operation func() (uint32, error)

// Of returns an operation that adds 1 to the checksum.
func Of(message []byte, times int) Operation {
	return func() (uint32, error) { return 1, Repeat(message, times) }
}

// Nothing is the operation that Run's own cost is measured with.
func Nothing() (uint32, error) { return 1, nil }

// Run does n operations and returns the wall time of the whole loop with the sum
// of what they returned, as the runners do.
//
//go:noinline
func Run(op Operation, n int) (wall time.Duration, sum uint32, err error) {
	start := time.Now()
	for range n {
		var add uint32
		if add, err = op(); err != nil {
			break
		}
		sum += add
	}
	return time.Since(start), sum, err
}
