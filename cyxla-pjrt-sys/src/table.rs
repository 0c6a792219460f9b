//! The table of functions.

use std::ffi::{c_int, c_void};

use crate::declare::{Call, Field};
#[allow(
    clippy::wildcard_imports,
    reason = "the table names the arguments of every function"
)]
use crate::{buffer::*, client::*, error::*, event::*, executable::*, plugin::*};

structures! {
    /// The version of the API that a plugin was built with.
    PJRT_Api_Version {
        major_version: c_int,
        minor_version: c_int,
    }
}

/// The one symbol of a plugin: gives its table of functions, which lives as long as the library is loaded.
pub type GetPjrtApi = unsafe extern "C" fn() -> *const PJRT_Api;

/// A slot of the table: NULL, or a function that takes its arguments by pointer and returns NULL or an error.
pub type Slot<A> = Option<unsafe extern "C" fn(*mut A) -> *mut PJRT_Error>;

/// A slot of the table for a function that can't fail.
pub type SureSlot<A> = Option<unsafe extern "C" fn(*mut A)>;

/// The type of a slot.
macro_rules! slot {
    () => { *const c_void };
    ($args:ident) => { Slot<$args> };
    (sure $args:ident) => { SureSlot<$args> };
}

/// Declares the table: `name(arguments);` for what is used, `name: arguments;` for what is used and can't fail, `name;` for
/// what only takes its place.
macro_rules! table {
    ($($name:ident $(($args:ident))? $(: $sure:ident)?;)*) => {
        /// The table of functions of a plugin.
        ///
        /// A plugin's table may be shorter or longer than this: `struct_size` tells. So there must never be a reference to
        /// a plugin's table as a whole; its fields are read one by one, each after a look at `struct_size`.
        #[repr(C)]
        #[derive(Debug)]
        pub struct PJRT_Api {
            pub struct_size: usize,
            pub extension_start: *mut crate::PJRT_Extension_Base,
            pub pjrt_api_version: PJRT_Api_Version,
            $(pub $name: slot!($($args)? $(sure $sure)?),)*
        }

        /// The place of every function in the table, in order.
        pub const SLOTS: &[Field] = &[$(Field {
            name: stringify!($name),
            offset: std::mem::offset_of!(PJRT_Api, $name),
            size: size_of::<slot!($($args)? $(sure $sure)?)>(),
        },)*];

        $($(
            // SAFETY: the field has the type `Slot<Self>`; plugins take it from the same place of their header.
            unsafe impl Call for $args {
                const FUNCTION: &'static str = stringify!($name);
                const SLOT: usize = std::mem::offset_of!(PJRT_Api, $name);
            }
        )?)*
    };
}

table! {
    PJRT_Error_Destroy: PJRT_Error_Destroy_Args;
    PJRT_Error_Message: PJRT_Error_Message_Args;
    PJRT_Error_GetCode(PJRT_Error_GetCode_Args);
    PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args);
    PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args);
    PJRT_Event_Destroy(PJRT_Event_Destroy_Args);
    PJRT_Event_IsReady(PJRT_Event_IsReady_Args);
    PJRT_Event_Error;
    PJRT_Event_Await(PJRT_Event_Await_Args);
    PJRT_Event_OnReady(PJRT_Event_OnReady_Args);
    PJRT_Client_Create(PJRT_Client_Create_Args);
    PJRT_Client_Destroy(PJRT_Client_Destroy_Args);
    PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args);
    PJRT_Client_ProcessIndex;
    PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args);
    PJRT_Client_Devices;
    PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args);
    PJRT_Client_LookupDevice;
    PJRT_Client_LookupAddressableDevice;
    PJRT_Client_AddressableMemories;
    PJRT_Client_Compile(PJRT_Client_Compile_Args);
    PJRT_Client_DefaultDeviceAssignment;
    PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args);
    PJRT_DeviceDescription_Id;
    PJRT_DeviceDescription_ProcessIndex;
    PJRT_DeviceDescription_Attributes;
    PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args);
    PJRT_DeviceDescription_DebugString;
    PJRT_DeviceDescription_ToString;
    PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args);
    PJRT_Device_IsAddressable;
    PJRT_Device_LocalHardwareId;
    PJRT_Device_AddressableMemories;
    PJRT_Device_DefaultMemory;
    PJRT_Device_MemoryStats;
    PJRT_Memory_Id;
    PJRT_Memory_Kind;
    PJRT_Memory_DebugString;
    PJRT_Memory_ToString;
    PJRT_Memory_AddressableByDevices;
    PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args);
    PJRT_Executable_Name(PJRT_Executable_Name_Args);
    PJRT_Executable_NumReplicas;
    PJRT_Executable_NumPartitions;
    PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args);
    PJRT_Executable_SizeOfGeneratedCodeInBytes;
    PJRT_Executable_GetCostAnalysis;
    PJRT_Executable_OutputMemoryKinds;
    PJRT_Executable_OptimizedProgram;
    PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args);
    PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args);
    PJRT_LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args);
    PJRT_LoadedExecutable_AddressableDevices;
    PJRT_LoadedExecutable_Delete;
    PJRT_LoadedExecutable_IsDeleted;
    PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args);
    PJRT_Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args);
    PJRT_LoadedExecutable_Fingerprint;
    PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args);
    PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args);
    PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args);
    PJRT_Buffer_UnpaddedDimensions;
    PJRT_Buffer_DynamicDimensionIndices;
    PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args);
    PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args);
    PJRT_Buffer_Device;
    PJRT_Buffer_Memory;
    PJRT_Buffer_Delete;
    PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args);
    PJRT_Buffer_CopyToDevice;
    PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args);
    PJRT_Buffer_IsOnCpu;
    PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args);
    PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args);
    PJRT_Buffer_IncreaseExternalReferenceCount;
    PJRT_Buffer_DecreaseExternalReferenceCount;
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args);
    PJRT_CopyToDeviceStream_Destroy;
    PJRT_CopyToDeviceStream_AddChunk;
    PJRT_CopyToDeviceStream_TotalBytes;
    PJRT_CopyToDeviceStream_GranuleSize;
    PJRT_CopyToDeviceStream_CurrentBytes;
    PJRT_TopologyDescription_Create;
    PJRT_TopologyDescription_Destroy;
    PJRT_TopologyDescription_PlatformName;
    PJRT_TopologyDescription_PlatformVersion;
    PJRT_TopologyDescription_GetDeviceDescriptions;
    PJRT_TopologyDescription_Serialize;
    PJRT_TopologyDescription_Attributes;
    PJRT_Compile;
    PJRT_Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args);
    PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args);
    PJRT_Buffer_CopyToMemory;
    PJRT_Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args);
    PJRT_Executable_Fingerprint;
    PJRT_Client_TopologyDescription;
    PJRT_Executable_GetCompiledMemoryStats;
    PJRT_Memory_Kind_Id;
    PJRT_ExecuteContext_Create;
    PJRT_ExecuteContext_Destroy;
    PJRT_Buffer_CopyRawToHost;
    PJRT_AsyncHostToDeviceTransferManager_Destroy;
    PJRT_AsyncHostToDeviceTransferManager_TransferData;
    PJRT_Client_CreateBuffersForAsyncHostToDevice;
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer;
    PJRT_AsyncHostToDeviceTransferManager_Device;
    PJRT_AsyncHostToDeviceTransferManager_BufferCount;
    PJRT_AsyncHostToDeviceTransferManager_BufferSize;
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError;
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata;
    PJRT_Client_DmaMap;
    PJRT_Client_DmaUnmap;
    PJRT_Client_CreateUninitializedBuffer;
    PJRT_Client_UpdateGlobalProcessInfo;
    PJRT_TopologyDescription_Deserialize;
    PJRT_Client_CreateAliasBuffer;
    PJRT_Client_FulfillAliasBuffer;
    PJRT_LoadedExecutable_GetDeviceAssignment;
    PJRT_Client_CreateErrorBuffer;
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral;
    PJRT_Buffer_CopyRawToHostFuture;
    PJRT_Device_PoisonExecution;
    PJRT_Device_CreateAsyncTrackingEvent;
    PJRT_AsyncTrackingEvent_Destroy;
    PJRT_Executable_GetCompileOptions;
    PJRT_Buffer_DonateWithControlDependency;
    PJRT_Event_Create;
    PJRT_Event_Set;
    PJRT_Device_GetAttributes;
    PJRT_Client_Load;
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds;
    PJRT_Buffer_Bitcast;
    PJRT_Error_ForEachPayload;
    PJRT_TopologyDescription_Fingerprint;
    PJRT_Executable_ParameterMemoryKinds;
    PJRT_Device_ClearMemoryStats;
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace;
    PJRT_TopologyDescription_GetMemorySpaceKindIds;
}
