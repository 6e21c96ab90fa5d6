# Generates the Protobuf messages' C++, where a selected codec needs it. ProtoJSON
# needs the set with the documents' own keys; the wire format is the same.
#
#   sh generate.sh CODEC,CODEC…
case ",$1," in
*,protojson,*) folder=protojson set=set-protojson.binpb ;;
*,protobuf,* | *,protobuf-arena,*) folder=protobuf set=set.binpb ;;
*) exit 0 ;;
esac
mkdir -p $folder

# The generator has to be the library's own version: look beside the library first.
protoc=$(pkg-config --variable=prefix protobuf)/bin/protoc
[ -x "$protoc" ] || protoc=protoc

files=$(LC_ALL=C grep -aoE 'wirecost_types(_[0-9]+)?\.proto' $set | sort -u)
if problem=$("$protoc" --descriptor_set_in=$set --cpp_out=$folder $files 2>&1); then
	for file in $files; do echo "#include \"${file%.proto}.pb.h\""; done >$folder/generated.hpp
	exit 0
fi
for codec in protobuf protobuf-arena protojson; do
	echo "wirecost:drop $codec $("$protoc" --version): $(echo "$problem" | head -n 1)"
done
